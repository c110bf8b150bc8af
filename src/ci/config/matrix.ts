import { isList, isMapping, isScalar, type Value } from './values.ts'

/** Jobs that one `parallel` makes. */
const MOST = 200

/** One of the jobs that `parallel` makes of one. */
export interface Copy {
  /** What follows the name of the job. */
  readonly suffix: string
  readonly variables: ReadonlyMap<string, string>
  readonly index: number
  readonly total: number
}

type Say = (path: string, text: string) => void

/** Reads `parallel`: a number, or a matrix of variables. */
export function readParallel(value: Value | undefined, path: string, say: Say): Copy[] | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isInteger(value)) {
    if (value < 1 || value > MOST) {
      say(path, value < 1 ? 'must be greater than or equal to 1' : `must be less than or equal to ${MOST}`)
      return undefined
    }
    return Array.from({ length: value }, (_, at) => ({
      suffix: `${at + 1}/${value}`,
      variables: new Map(),
      index: at + 1,
      total: value,
    }))
  }
  if (!isMapping(value)) {
    say(path, 'should be an integer or a hash')
    return undefined
  }
  const unknown = [...value.keys()].filter((key) => key !== 'matrix')
  if (unknown.length > 0) say(path, `config contains unknown keys: ${unknown.join(', ')}`)
  const combinations = combinationsOf(value.get('matrix') ?? null, `${path}:matrix`, say)
  return combinations?.map((variables, at, all) => ({
    suffix: `[${[...variables.values()].join(', ')}]`,
    variables,
    index: at + 1,
    total: all.length,
  }))
}

/** All combinations of the values of a matrix. */
export function combinationsOf(matrix: Value, path: string, say: Say): Map<string, string>[] | undefined {
  if (
    !isList(matrix) ||
    matrix.length === 0 ||
    !matrix.flat().every((row) => isMapping(row) && row.size > 0)
  ) {
    say(path, 'config should be an array of hashes')
    return undefined
  }
  const all: Map<string, string>[] = []
  for (const row of matrix.flat().filter(isMapping)) {
    let combinations = [new Map<string, string>()]
    for (const [key, held] of row) {
      const values = isList(held) ? held.flat(3) : [held]
      if (values.length === 0 || !values.every(isScalar)) {
        say(path, 'config should be a hash of key value pairs, value can be an array')
        return undefined
      }
      if (combinations.length * values.length > MOST) return tooMany(path, say)
      combinations = combinations.flatMap((one) =>
        values.map((value) => new Map([...one, [key, String(value)]])),
      )
    }
    for (const one of combinations) all.push(one)
    if (all.length > MOST) return tooMany(path, say)
  }
  return all
}

function tooMany(path: string, say: Say): undefined {
  say(path.replace(/:matrix$/, ''), `config generates too many jobs (maximum is ${MOST})`)
}
