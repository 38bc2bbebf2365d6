/** How a block is read (S1 "L0 Block"). The same for every session: it stands in front of all that is cached. */
export const LEGEND = `Each block is one file: its path and a colon, then what it imports, then what it declares.

< imports, as the file names them
+ before a kind: visible outside of the file or package by its own words
c class · i interface or trait · s struct · u union · e enum · t type · n namespace, module or package
f function · m method · p property or field · v variable or constant · b implementation block · x macro
After the kind stands the declaration as in the source, up to its body or value; … marks where it was cut.
Lines that are indented belong to the line above them that is less so.`;
