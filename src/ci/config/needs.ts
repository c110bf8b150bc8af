import { combinationsOf } from './matrix.ts'
import { isList, isMapping, isText, type Mapping, type Value } from './values.ts'

/** A job of the same pipeline that has to end first. */
export interface Need {
  readonly job: string
  readonly artifacts: boolean
  readonly optional: boolean
  /** Which of the jobs of a matrix are meant, as the end of their names; all of them without it. */
  readonly suffixes?: readonly string[]
}
/** A job of another project or pipeline whose artifacts are wanted. */
export interface CrossNeed {
  readonly project?: string
  readonly ref?: string
  readonly pipeline?: string
  readonly job?: string
  readonly artifacts: boolean
}
export interface Needs {
  readonly needs: readonly Need[] | undefined
  readonly cross: readonly CrossNeed[]
}

/** Needs of one job. */
const MOST = 50
type Say = (path: string, text: string) => void

/** Reads `needs`. An empty list means that the job waits for nothing. */
export function readNeeds(value: Value | undefined, path: string, say: Say): Needs {
  if (value === undefined || value === null) return { needs: undefined, cross: [] }
  const entries = isList(value) ? value.flat(10) : [value]
  const needs: Need[] = []
  const cross: CrossNeed[] = []
  for (const entry of entries) {
    if (isText(entry)) needs.push({ job: entry, artifacts: true, optional: false })
    else if (!isMapping(entry)) say(`${path}:needs`, 'config has an unsupported type')
    else if (entry.has('project') || entry.has('pipeline')) cross.push(readCross(entry, path, say))
    else {
      const need = readNeed(entry, path, say)
      if (need !== undefined) needs.push(need)
    }
  }
  if (needs.length > MOST)
    say(path, `needs config: one job can only need ${MOST} others, but you have listed ${needs.length}`)
  return { needs: needs.length === 0 && cross.length > 0 ? undefined : needs, cross }
}

function readNeed(entry: Mapping, path: string, say: Say): Need | undefined {
  unknownKeys(entry, ['job', 'artifacts', 'optional', 'parallel'], path, say)
  const job = entry.get('job')
  if (!isText(job)) {
    say(`${path}:needs:need`, "job can't be blank")
    return undefined
  }
  const parallel = entry.get('parallel')
  const matrix = isMapping(parallel) ? (parallel.get('matrix') ?? null) : undefined
  const combinations =
    matrix === undefined ? undefined : combinationsOf(matrix, `${path}:needs:need:parallel:matrix`, say)
  return {
    job,
    artifacts: flag(entry, 'artifacts', true, path, say),
    optional: flag(entry, 'optional', false, path, say),
    ...(combinations ? { suffixes: combinations.map((one) => `[${[...one.values()].join(', ')}]`) } : {}),
  }
}

function readCross(entry: Mapping, path: string, say: Say): CrossNeed {
  unknownKeys(entry, ['project', 'ref', 'job', 'artifacts', 'pipeline', 'parallel'], path, say)
  const texts: Partial<Record<'project' | 'ref' | 'pipeline' | 'job', string>> = {}
  for (const key of ['project', 'ref', 'pipeline', 'job'] as const) {
    const held = entry.get(key)
    if (isText(held)) texts[key] = held
    else if (held !== undefined) say(`${path}:needs:need`, `${key} should be a string`)
  }
  if (entry.has('project')) {
    for (const key of ['ref', 'job'] as const) {
      if (texts[key] === undefined) say(`${path}:needs:need`, `${key} can't be blank`)
    }
  }
  return { ...texts, artifacts: flag(entry, 'artifacts', true, path, say) }
}

function unknownKeys(entry: Mapping, known: readonly string[], path: string, say: Say): void {
  const unknown = [...entry.keys()].filter((key) => !known.includes(key))
  if (unknown.length > 0) say(`${path}:needs:need`, `config contains unknown keys: ${unknown.join(', ')}`)
}

function flag(entry: Mapping, key: string, otherwise: boolean, path: string, say: Say): boolean {
  const held = entry.get(key) ?? otherwise
  if (typeof held === 'boolean') return held
  say(`${path}:needs:need`, `${key} should be a boolean value`)
  return otherwise
}
