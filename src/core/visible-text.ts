// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const HIDDEN = /[\0-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Text from elsewhere as it may stand in a line for a person: control characters, which a terminal would obey, and marks
 * that change the direction of writing are written as escapes.
 */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
