/** Words that say of whatever bears them that it is secret, as the source of a regular expression that looks at no case. */
export const SECRET_WORD: string = String.raw`(?:api[-_]?key|access[-_]?key|private[-_]?key|token|secret|passw(?:or)?d|passphrase|credentials?|signature|authorization|auth(?!or)|cookie)`;

const ENDS_SECRET = new RegExp(`(?:^|[-_])${SECRET_WORD}$`, 'i');
const SAYS_SECRET = new RegExp(SECRET_WORD, 'i');

/** Whether a setting, an option or a variable of this name holds a secret. The end counts: `api_key_env` and `max_tokens` hold none. */
export function isSecretName(name: string): boolean {
  return ENDS_SECRET.test(name);
}

/** Whether a name has such a word anywhere: for what is only shown, where a value too many that is left out costs little. */
export function hasSecretWord(name: string): boolean {
  return SAYS_SECRET.test(name);
}
