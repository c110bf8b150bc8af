import type { ChosenJobs } from '../choose-jobs.ts'
import type { ChosenJob, ChosenVariable } from '../chosen.ts'
import type { Configuration } from '../configuration.ts'
import { mergedYaml } from '../merged-yaml.ts'
import type { ReadPipeline } from '../pipeline-reading.ts'
import { shownJobs } from './shown-job.ts'

type Options = ChosenJob['options']

/** A job whose options and variables stand in lists: jobs share most of them. */
interface PackedJob extends Omit<ChosenJob, 'options' | 'variables'> {
  readonly options: number
  readonly variables: readonly number[]
}

interface Packed extends Omit<ReadPipeline, 'isThere' | 'chosen'> {
  readonly chosen: (Omit<ChosenJobs, 'jobs'> & { readonly jobs: readonly PackedJob[] }) | null
  readonly options: readonly Options[]
  readonly variables: readonly ChosenVariable[]
}

/** Characters that a reader hands over: more takes the server's thread long to read. */
const MOST_CHARACTERS = 24 * 1024 * 1024

/** Values by a number, each kept once. */
class Numbered<T> {
  readonly all: T[] = []
  readonly #numbers = new Map<unknown, Map<unknown, number>>()

  number(value: T, one: unknown, other: unknown): number {
    let known = this.#numbers.get(one)
    if (known === undefined) this.#numbers.set(one, (known = new Map()))
    let number = known.get(other)
    if (number === undefined) {
      number = this.all.push(value) - 1
      known.set(other, number)
    }
    return number
  }
}

/** What was read as one text, made in the reader. @throws RangeError where it is too long */
export function pack(read: Configuration, chosen: ChosenJobs | null, shows: boolean): string {
  const options = new Numbered<Options>()
  const plain = new Numbered<ChosenVariable>()
  const { errors, warnings, includes, merged } = read
  const jobs = chosen?.jobs.map((job): PackedJob => ({
    ...job,
    options: options.number(job.options, job.options, undefined),
    variables: job.variables.map((one) =>
      plain.number(one, one.key, `${one.raw ? 'raw' : 'not'} ${one.value}`),
    ),
  }))
  const packed: Packed = {
    errors,
    warnings,
    includes,
    merged: shows && merged !== null ? mergedYaml(merged) : null,
    configured: shows ? shownJobs(read) : [],
    chosen: chosen && { ...chosen, jobs: jobs ?? [] },
    options: options.all,
    variables: plain.all,
  }
  const text = JSON.stringify(packed)
  if (text.length > MOST_CHARACTERS) throw new RangeError('The jobs are too large')
  return text
}

/** Reads that text in the server's thread: quickly, because nothing is looked at twice. */
export function unpack(text: string): Omit<ReadPipeline, 'isThere'> {
  const packed: unknown = JSON.parse(text)
  if (!isPacked(packed)) throw new Error('The reader has answered something else')
  const { chosen, options, variables, ...rest } = packed
  const jobs = chosen?.jobs.map((job) => ({
    ...job,
    options: options[job.options] ?? {},
    variables: job.variables.flatMap((at) => variables[at] ?? []),
  }))
  return { ...rest, chosen: chosen && { ...chosen, jobs: jobs ?? [] } }
}

const isPacked = (value: unknown): value is Packed =>
  typeof value === 'object' && value !== null && 'chosen' in value && 'variables' in value
