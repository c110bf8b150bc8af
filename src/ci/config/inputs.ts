import { expand } from './expand.ts'
import { patternOf } from './patterns.ts'
import { ConfigurationError } from './problems.ts'
import { isAbsent, isList, isMapping, isScalar, isText, type Mapping, toJson, type Value } from './values.ts'
import { readYaml } from './yaml.ts'

/** Inputs and blocks that a file may have. */
const MOST_INPUTS = 100
const MOST_BLOCKS = 10_000

/** Writes inputs into a file that declares them (`spec: inputs:` above a line `---`). Other files stay as they are. */
export function withInputs(
  text: string,
  file: string,
  given: Mapping,
  valueOf: (name: string) => string | undefined,
): string {
  const header = headerOf(text)
  if (header === undefined) {
    if (given.size > 0) throw wrong(file, [`unknown input arguments: ${[...given.keys()].join(', ')}`])
    return text
  }
  const { content } = readYaml(header.text, file)
  const spec = content.get('spec')
  const declared = isMapping(spec) ? spec.get('inputs') : undefined
  const inputs = isMapping(declared) ? declared : new Map<string, Value>()
  if (inputs.size > MOST_INPUTS) throw wrong(file, [`too many inputs (maximum is ${MOST_INPUTS})`])
  const problems: string[] = []
  const unknown = [...given.keys()].filter((key) => !inputs.has(key))
  if (unknown.length > 0) problems.push(`unknown input arguments: ${unknown.join(', ')}`)
  const values = new Map<string, Value>()
  for (const [name, input] of inputs) {
    const value = valueFor(name, input, given, problems)
    if (value !== undefined) values.set(name, value)
  }
  if (problems.length > 0) throw wrong(file, problems)
  return interpolated(header.rest, values, file, valueOf)
}

const wrong = (file: string, problems: readonly string[]): ConfigurationError =>
  new ConfigurationError(`\`${file}\`: ${problems.join(', ')}`, { file })

/** Lines before the `---` that ends the header stay as empty ones, so that lines of errors are right. */
function headerOf(text: string): { text: string; rest: string } | undefined {
  if (!/^(?:\s*(?:#.*)?\n|---[ \t]*\n)*spec:/.test(text)) return undefined
  const start = text.search(/^spec:/m)
  const end = /^---[ \t]*(?:#.*)?$/m.exec(text.slice(start))
  if (end === null) return { text, rest: '' }
  const at = start + end.index
  const head = text.slice(0, at)
  return { text: head, rest: '\n'.repeat(head.split('\n').length - 1) + text.slice(at) }
}

const TYPES: Record<string, (value: Value) => boolean> = {
  string: isText,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  array: isList,
}

function valueFor(name: string, input: Value, given: Mapping, problems: string[]): Value | undefined {
  const settings = isMapping(input) ? input : new Map<string, Value>()
  const say = (text: string): undefined => void problems.push(`\`${name}\` input: ${text}`)
  const type = settings.get('type') ?? 'string'
  const kind = isText(type) ? type : ''
  const isRight = TYPES[kind]
  if (isRight === undefined) return say(`unknown input type: ${kind}`)
  const isGiven = given.has(name)
  const value = isGiven ? given.get(name) : settings.get('default')
  if (value === undefined) return say('required value has not been provided')
  if (value === null && !isGiven) return ''
  if (!isRight(value))
    return say(
      `${isGiven ? 'provided' : 'default'} value is not ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`,
    )
  const options = settings.get('options')
  if (isList(options) && !options.includes(value)) {
    return say(
      `\`${isScalar(value) ? value : JSON.stringify(toJson(value))}\` cannot be used because it is not in the list of allowed options`,
    )
  }
  const regex = settings.get('regex')
  if (isText(regex) && isText(value)) {
    const pattern = patternOf(/^\/.*\/$/s.test(regex) ? regex : `/${regex}/`)
    if (pattern === undefined) return say('the regular expression is not valid')
    if (!pattern.finds(value)) return say('provided value does not match required RegEx pattern')
  }
  return value
}

function interpolated(
  text: string,
  values: Mapping,
  file: string,
  valueOf: (name: string) => string | undefined,
): string {
  let blocks = 0
  return text.replaceAll(/\$\[\[\s*([^\n]*?)\s*\]\]/g, (_, block: string) => {
    blocks += 1
    if (blocks > MOST_BLOCKS) throw wrong(file, ['too many interpolation blocks'])
    const [access = '', ...functions] = block.split('|').map((part) => part.trim())
    const [root, name = '', ...more] = access.split('.')
    const value = values.get(name)
    if (root !== 'inputs' || value === undefined || more.length > 0) {
      throw wrong(file, [`unknown interpolation key: \`${root === 'inputs' ? name : access}\``])
    }
    const shown = isText(value) || isAbsent(value) ? (value ?? '') : JSON.stringify(toJson(value))
    return functions.reduce((held, one) => apply(one, held, file, valueOf), shown)
  })
}

function apply(
  call: string,
  value: string,
  file: string,
  valueOf: (name: string) => string | undefined,
): string {
  if (call === 'expand_vars') return expand(value, valueOf)
  if (call === 'posix_escape') return value === '' ? "''" : value.replaceAll(/[^\w\-.,:+/@\n]/g, '\\$&')
  const cut = /^truncate\(\s*(\d+)\s*,\s*(\d+)\s*\)$/.exec(call)
  if (cut === null)
    throw wrong(file, [
      `no function matching \`${call}\`: check that the function name, arguments, and types are correct`,
    ])
  return value.slice(Number(cut[1]), Number(cut[1]) + Number(cut[2]))
}
