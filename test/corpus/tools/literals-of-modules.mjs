#!/usr/bin/env node
/* __version__ = 'decoy' */
export const __version__ = `1.0.9`, __tool_type__ = "node";
export const __category__ = 'ma\u0074h\x21';
export const __tool_description__ = 'It\'s "fine" \
really';
export const CONFIG_SCHEMA = {
  // every kind of literal there is
  type: "object", 'properties': {
    hex: { default: 0xFF, minimum: -0b101, maximum: 1_000_000, octal: 0o17, },
    float: { default: 1.5e-3, multipleOf: .5, const: -2. },
    1: { description: `two
lines` },
    'with space': [true, false, [], {},],
  },
};
export default function execute() {}
