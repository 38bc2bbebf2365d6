/**
 * The first part of every rendered directive prompt (S0), unless a hook delivers it: how the text between the
 * directive tags is to be taken.
 */
export const DIRECTIVE_INSTRUCTION = [
  'The block below, between the directive tags, is your assignment. Carry it out yourself, from the first step to the',
  'last: do the work instead of describing it, repeating it or asking whether to begin. Where a step calls for a tool,',
  'call the tool and use what it really returned. If a step can not be done, say what stands in the way and go on with',
  'what remains possible. You are finished when every step is done and the results that are asked for are delivered.',
].join('\n');
