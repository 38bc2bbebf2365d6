/** The named characters that are common, each name before its character; others stay as they are written. */
const COMMON =
  `amp & lt < gt > quot " apos ' copy © reg ® trade ™ deg ° hellip … mdash — ndash – lsquo ‘ rsquo ’ ldquo “ rdquo ” ` +
  'laquo « raquo » bull • middot · times × euro € pound £ sect § para ¶ larr ← rarr → auml ä ouml ö uuml ü Auml Ä ' +
  'Ouml Ö Uuml Ü szlig ß eacute é egrave è agrave à ccedil ç ntilde ñ';

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['nbsp', ' '],
  ['shy', ''],
  ...COMMON.matchAll(/(\w+) (\S)/g).map(([, name = '', character = '']) => [name, character] as const),
]);

/** Replaces the character references of HTML: `&amp;`, `&#38;`, `&#x26;`. One pass; what is put in is not looked at again. */
export function decodeReferences(text: string): string {
  return text.replaceAll(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/gi, (written: string, name: string) => {
    if (!name.startsWith('#')) return ENTITIES.get(name) ?? written;
    const code = Number(name.replace('#', '').replace(/^x/i, '0x'));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : written;
  });
}
