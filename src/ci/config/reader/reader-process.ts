import { chooseJobs } from '../choose-jobs.ts'
import type { PathSource } from '../conditions.ts'
import type { Configuration } from '../configuration.ts'
import { hasWildcard, matchesInclude } from '../globs.ts'
import type { FileSource, IncludeAnswer, IncludeRequest } from '../includes.ts'
import { ConfigurationError } from '../problems.ts'
import { inputsOf, readConfiguration } from '../read-configuration.ts'
import { type FromReader, isToReader, type Order, type Question, type Reply } from './messages.ts'
import { pack } from './packed.ts'

// A process that reads configurations, one at a time. It may be ended at any moment.

const tell = (message: FromReader): void => void process.send?.(message)
const waiting = new Map<number, (reply: Reply) => void>()
let asked = 0

/** The server has no answer. It knows why. */
class Abandoned extends Error {}

type Answer = Exclude<Reply, { readonly error: string } | { readonly abandoned: true }>

async function ask(question: Question): Promise<Answer> {
  const number = (asked += 1)
  const reply = await new Promise<Reply>((resolve) => {
    waiting.set(number, resolve)
    tell({ number, question })
  })
  if ('error' in reply) throw new ConfigurationError(reply.error)
  if ('abandoned' in reply) throw new Abandoned()
  return reply
}

async function askForPaths(question: Question): Promise<string | null> {
  const reply = await ask(question)
  return 'paths' in reply ? reply.paths : null
}

/** Asks each question once. */
function pathsOnce(): { (question: Question): Promise<string | null> } {
  const known = new Map<string, Promise<string | null>>()
  return (question) => {
    const key = JSON.stringify(question)
    const paths = known.get(key) ?? askForPaths(question)
    known.set(key, paths)
    return paths
  }
}

async function read(order: Order): Promise<string> {
  const pathsOf = pathsOnce()
  const files: FileSource = {
    fetch: async (requests) => {
      const all = await Promise.all(requests.map((request) => meant(request, pathsOf)))
      const wanted = all.flat()
      const reply = wanted.length === 0 ? { files: [] } : await ask({ kind: 'files', requests: wanted })
      const answers = 'files' in reply ? [...reply.files] : []
      return all.map((some) => together(answers.splice(0, some.length), some.length === 1))
    },
  }
  const paths: PathSource = {
    changed: (compareTo) => pathsOf({ kind: 'changed', compareTo }),
    existing: (project, ref) => pathsOf({ kind: 'existing', project, ref }),
  }
  const { text, file, tree, predefined, kept, given, shows } = order
  const variables = new Map([...predefined, ...kept, ...given])
  const configuration = await readConfiguration(text, {
    files,
    paths,
    variables,
    inputs: inputsOf(order.inputs),
    file,
    tree,
  })
  if (configuration.errors.length > 0) return pack(configuration, null, shows)
  try {
    return pack(configuration, await chooseJobs(configuration, { ...order, paths }), shows)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return pack({ ...configuration, errors: [{ text: error.message }] }, null, shows)
  }
}

/** Patterns are matched here: they may take long, and the server must not wait for them. */
async function meant(
  request: IncludeRequest,
  pathsOf: ReturnType<typeof pathsOnce>,
): Promise<readonly IncludeRequest[]> {
  if (request.type !== 'local' || !hasWildcard(request.path)) return [request]
  const { path, tree } = request
  const paths = (await pathsOf({ kind: 'tree', tree })) ?? ''
  const pattern = path.replace(/^\/+/, '')
  const found = paths.split('\0').filter((one) => /\.ya?ml$/i.test(one) && matchesInclude(pattern, one))
  return found.map((one) => ({ type: 'local', path: one, tree }))
}

/** Files that one pattern has found count as one answer. */
function together(answers: readonly IncludeAnswer[], isOne: boolean): IncludeAnswer {
  const [first] = answers
  if (isOne && first !== undefined) return first
  const wrong = answers.find((answer) => 'error' in answer)
  return wrong ?? { files: answers.flatMap((answer) => ('files' in answer ? answer.files : [])) }
}

const NOTHING: Configuration = {
  stages: [],
  workflow: { name: undefined, rules: undefined, autoCancel: undefined },
  variables: new Map(),
  jobs: [],
  includes: [],
  errors: [],
  warnings: [],
  merged: null,
}

async function work(order: Order): Promise<void> {
  try {
    tell({ done: await read(order) })
  } catch (error) {
    // Calls in each other, or a text, went beyond what the language can hold.
    const isTooBig = error instanceof RangeError
    const errors = isTooBig ? [{ text: 'The parsed YAML is too big' }] : []
    if (isTooBig || error instanceof Abandoned) tell({ done: pack({ ...NOTHING, errors }, null, false) })
    else tell({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  } finally {
    waiting.clear()
  }
}

process.on('disconnect', () => process.exit())
process.on('message', (message: unknown) => {
  if (!isToReader(message)) return
  if ('order' in message) void work(message.order)
  else {
    const resolve = waiting.get(message.to)
    waiting.delete(message.to)
    resolve?.(message.reply)
  }
})
