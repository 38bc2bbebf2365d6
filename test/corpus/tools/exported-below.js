const __version__ = '1.0.0';
const __category__ = 'text';
const __tool_description__ = 'Exports at its end';
const CONFIG_SCHEMA = { type: 'object', properties: { text: { type: 'string' } } };

function execute(params) {
  return params;
}

export { __version__, __category__, __tool_description__, CONFIG_SCHEMA, execute };
