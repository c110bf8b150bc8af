import { changelogFailed } from './failure.ts'

/** What a template can show. */
export type Value = string | number | boolean | undefined | readonly Value[] | Values
export interface Values {
  readonly [name: string]: Value
}

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: Path }
  | { readonly kind: 'if'; readonly path: Path; readonly parts: Part[]; readonly otherwise: Part[] }
  | { readonly kind: 'each'; readonly path: Path; readonly parts: Part[] }

type Path = readonly string[]
type Block = Extract<Part, { readonly kind: 'if' | 'each' }>

/** A template that was read. */
export type Template = readonly Part[]

/** How deep blocks may be in each other, what filling in a template may take, and the characters of what comes of it. */
const DEEPEST = 50
const MOST_STEPS = 300_000
const LONGEST = 1_000_000

/** A tag, with the newline that statements swallow, or a newline that a backslash takes away. */
const TAG =
  /\{%\s*(?:(if|each)\s+([^\s{}%]+)|(else|end))\s*%\}\n?|\{\{\s*([^\s{}%]+)\s*\}\}|\\\n|\{%[^\n]{0,40}/g

/** Reads a template. @throws 422 for what is none */
export function readTemplate(text: string): Template {
  const whole: Part[] = []
  const open: { readonly block: Block; into: Part[]; hasElse: boolean }[] = []
  const into = () => open.at(-1)?.into ?? whole
  const say = (kept: string) => kept !== '' && into().push({ kind: 'text', text: kept })
  const source = text.replaceAll('\r\n', '\n')
  let at = 0
  for (const found of source.matchAll(TAG)) {
    say(source.slice(at, found.index))
    at = found.index + found[0].length
    const [tag, statement, argument = '', word, value] = found
    if (value !== undefined) into().push({ kind: 'value', path: pathOf(value) })
    else if (statement !== undefined) {
      if (open.length >= DEEPEST) throw changelogFailed('the template has too many blocks in each other')
      const block = blockOf(statement, pathOf(argument))
      into().push(block)
      open.push({ block, into: block.parts, hasElse: false })
    } else if (word === 'end') {
      if (open.pop() === undefined) throw changelogFailed('the template has an {% end %} too many')
    } else if (word === 'else') {
      const last = open.at(-1)
      if (last?.block.kind !== 'if' || last.hasElse)
        throw changelogFailed('the template has an {% else %} without an {% if %}')
      last.hasElse = true
      last.into = last.block.otherwise
    } else if (tag !== '\\\n') throw changelogFailed(`the template cannot be read at ${tag}`)
  }
  say(source.slice(at))
  if (open.length > 0) throw changelogFailed('the template lacks an {% end %}')
  return whole
}

const blockOf = (statement: string, path: Path): Block =>
  statement === 'if' ? { kind: 'if', path, parts: [], otherwise: [] } : { kind: 'each', path, parts: [] }

const pathOf = (text: string): Path => (text === 'it' ? [] : text.split('.'))

/** Fills in a template. @throws 422 when it takes too long, or too much comes of it */
export function fillIn(template: Template, values: Values): string {
  let steps = 0
  let text = ''
  const run = (parts: readonly Part[], it: Value): void => {
    for (const part of parts) {
      steps += 1
      if (steps > MOST_STEPS) throw changelogFailed('the template takes too many steps to fill in')
      if (part.kind === 'text') text += part.text
      else if (part.kind === 'value') text += shown(at(it, part.path))
      else if (part.kind === 'if') run(isTrue(at(it, part.path)) ? part.parts : part.otherwise, it)
      else for (const one of listAt(it, part.path)) run(part.parts, one)
      if (text.length > LONGEST) throw changelogFailed(`it would have more than ${LONGEST} characters`)
    }
  }
  run(template, values)
  return text
}

function at(value: Value, path: Path): Value {
  let found = value
  for (const name of path) {
    if (isList(found)) found = /^\d{1,9}$/.test(name) ? found[Number(name)] : undefined
    else if (typeof found === 'object') found = Object.hasOwn(found, name) ? found[name] : undefined
    else return undefined
  }
  return found
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

function listAt(it: Value, path: Path): readonly Value[] {
  const value = at(it, path)
  return isList(value) ? value : []
}

/** Whatever has parts is true: nobody counts them, which takes long where there are many. */
function isTrue(value: Value): boolean {
  if (isList(value)) return value.length > 0
  return value !== undefined && value !== '' && value !== false
}

const shown = (value: Value): string =>
  value === undefined || typeof value === 'object' ? '' : String(value)
