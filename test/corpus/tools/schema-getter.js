export const CONFIG_SCHEMA = {
  type: 'object',
  get properties() {
    return globalThis.process.exit(1);
  },
};
