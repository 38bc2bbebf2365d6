import { Document, type Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { partsOf, type Part } from '../config/leaves.ts';
import type { MergedDocument } from '../config/merged-config.ts';
import { isInside } from '../core/path-inside.ts';
import { own } from '../core/record.ts';

/** A merged document as YAML; a value that does not come from the system has the file it came from beside it. */
export function configYaml({ document, origins }: MergedDocument, systemDir: string): string {
  const yaml = new Document();
  const commentOf = (path: string): string | undefined => {
    const file = own(origins, path);
    return file === undefined || isInside(file, systemDir) ? undefined : ` ${oneLine(file)}`;
  };
  yaml.contents = toNode({ path: '', value: document }, commentOf);
  return yaml.toString({ lineWidth: 0 });
}

type CommentOf = (path: string) => string | undefined;

function toNode(part: Part, commentOf: CommentOf): Node {
  const { value } = part;
  const parts = partsOf(part);
  if (parts.length === 0) return toLeaf(part, commentOf);
  if (Array.isArray(value)) {
    const list = new YAMLSeq<Node>();
    list.items = parts.map((entry) => toNode(entry, commentOf));
    return list;
  }
  const keys = Object.keys(Object(value) as object); // `partsOf` has parts of maps and lists only
  const map = new YAMLMap<Scalar, Node>();
  map.items = parts.map((entry, at) => new Pair(new Scalar(keys[at]), toNode(entry, commentOf)));
  return map;
}

function toLeaf({ path, value }: Part, commentOf: CommentOf): Node {
  const leaf = Array.isArray(value) ? new YAMLSeq() : isMap(value) ? new YAMLMap() : new Scalar(value);
  const comment = commentOf(path);
  if (comment !== undefined) leaf.comment = comment;
  if (!(leaf instanceof Scalar)) leaf.flow = true;
  return leaf;
}

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** A line break in a file's name would end the comment. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]/g, ' ');
}
