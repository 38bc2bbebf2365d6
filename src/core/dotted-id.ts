/** An item id as capabilities write it. Ids that are the same so have the same rights: `a/b` and `a.b`. */
export function dottedId(id: string): string {
  return id.replaceAll('/', '.');
}
