import { readdirSync, readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'

/** What stands for "nothing", and what a field often has before there is something behind it. */
const EMPTY: ReadonlySet<unknown> = new Set([null, true, false, 0, '', '0', 'none', 'unknown', 'default'])

/** Files that make what goes on the wire: answers of the API and payloads of webhooks. */
const MAKERS =
  /(?:entity|present[\w-]*|basic|routes|-route|extension|approval-fields|storage-sizes|approvals\/state|user-agent)\.ts$|^activity\/hooks\/payloads\//
/** Keys that describe a field or a payload and are not sent. */
const DESCRIBING: ReadonlySet<string> = new Set(['deprecated', 'triggers'])
/** Functions that do, in any file. */
const MAKER = /^present[A-Z]/

interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/**
 * The fields that the program fills with an empty constant where it makes answers and payloads, as `file: key value`
 * without their order; each of them once for a file.
 */
export function findConstants(root: URL): string[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    // Pages answer with HTML; what their forms have is no answer.
    (file) => file.endsWith('.ts') && !/\.test\.|test-support|^console\//.test(file),
  )
  return files.flatMap((file) => {
    const text = readFileSync(new URL(file, root), 'utf8')
    const found = new Set<string>()
    const program: unknown = parseAst(text, { lang: 'ts' })
    walk(program, { makes: MAKERS.test(file), describes: false }, found)
    return [...found].map((one) => `${file.replace(/\.ts$/, '')}: ${one}`)
  })
}

interface Place {
  /** Whether what is made here goes on the wire. */
  readonly makes: boolean
  /** Whether it is an argument, as descriptions of parameters and answers are. */
  readonly describes: boolean
}

function walk(value: unknown, place: Place, found: Set<string>): void {
  if (Array.isArray(value)) return value.forEach((one) => walk(one, place, found))
  if (!isNode(value)) return
  if (isType(value)) return
  if (value.type === 'Property' && place.makes && !place.describes) {
    const constant = emptyConstant(value['value'])
    const key = nameOf(value['key'])
    if (constant !== undefined && value['computed'] !== true && isField(key)) {
      found.add(`${key} ${constant}`)
    }
  }
  const inside = placeIn(value, place)
  for (const part of Object.values(value)) walk(part, inside, found)
}

const isField = (key: string) => /^[a-z_]+$/.test(key) && !DESCRIBING.has(key)

const isType = ({ type }: Node) => type.startsWith('TS') && !/^TS(?:As|Satisfies)Expression$/.test(type)

function placeIn(node: Node, { makes, describes }: Place): Place {
  const isFunction = /Function/.test(node.type)
  const names =
    /^(?:FunctionDeclaration|VariableDeclarator)$/.test(node.type) && MAKER.test(nameOf(node['id']))
  return {
    makes: makes || names,
    describes:
      node.type === 'CallExpression' || (describes && !isFunction && node.type !== 'ReturnStatement'),
  }
}

/** How it is written; undefined for a value that is not empty or not constant. */
function emptyConstant(value: unknown): string | undefined {
  if (!isNode(value)) return undefined
  if (!isType(value) && value.type.startsWith('TS')) return emptyConstant(value['expression'])
  if (value.type === 'Literal' && EMPTY.has(value['value'])) return JSON.stringify(value['value'])
  if (value.type === 'ArrayExpression' && Array.isArray(value['elements']) && value['elements'].length === 0)
    return '[]'
  const isEmptyObject =
    value.type === 'ObjectExpression' &&
    Array.isArray(value['properties']) &&
    value['properties'].length === 0
  return isEmptyObject ? '{}' : undefined
}

function nameOf(node: unknown): string {
  if (!isNode(node)) return ''
  const name = node['name'] ?? node['value']
  return typeof name === 'string' ? name : ''
}
