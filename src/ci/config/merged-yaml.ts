import { Document, type Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import { isList, isMapping, Reference, type Mapping, type Value } from './values.ts'

/** A configuration with all that it includes as one text. */
export function mergedYaml(merged: Mapping): string {
  return `---\n${new Document(nodeOf(merged), { version: '1.1' }).toString({ lineWidth: 0 })}`
}

/** Nodes are made here: the library would write maps of YAML 1.1 as lists of pairs, and repeat values as aliases. */
function nodeOf(value: Value): Node {
  if (isMapping(value)) {
    const map = new YAMLMap()
    for (const [key, held] of value) map.items.push(new Pair(new Scalar(key), nodeOf(held)))
    return map
  }
  if (isList(value)) {
    const list = new YAMLSeq()
    for (const one of value) list.items.push(nodeOf(one))
    return list
  }
  return new Scalar(value instanceof Reference ? value.path.join(', ') : value)
}
