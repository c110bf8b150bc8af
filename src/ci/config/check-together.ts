import type { Configuration, ConfiguredJob } from './configuration.ts'
import type { Problems } from './problems.ts'
import { isAbsent, isList, isText, type Value } from './values.ts'

const DEFAULT_STAGES = ['build', 'test', 'deploy']

/** The stages in their order, with the two that are always there. */
export function stagesOf(value: Value | undefined, problems: Problems): string[] {
  const flat = isList(value) ? value.flat(10) : []
  if (!isAbsent(value) && !(isList(value) && flat.every(isText))) {
    problems.error('stages config should be an array of strings', 'stages')
  }
  const named = isAbsent(value) || flat.length === 0 ? DEFAULT_STAGES : flat.filter(isText)
  const others = new Set(named.filter((stage) => stage !== '.pre' && stage !== '.post'))
  return ['.pre', ...others, '.post']
}

/** Checks what jobs say of stages and of each other. */
export function checkTogether(
  { stages, workflow, jobs }: Pick<Configuration, 'stages' | 'workflow' | 'jobs'>,
  problems: Problems,
): void {
  const places = new Map(stages.map((stage, at) => [stage, at]))
  const byName = new Map(jobs.map((job) => [job.name, job]))
  for (const job of jobs) {
    const place = places.get(job.stage)
    if (place === undefined) {
      const text = `${job.name} job: chosen stage ${job.stage} does not exist; available stages are ${stages.join(', ')}`
      problems.error(text, job.name, 'stage')
      continue
    }
    checkOthers(job, place, { places, byName }, problems)
    if (workflow.rules === undefined && runsWithoutCondition(job)) {
      problems.warn(
        `jobs:${job.name} may allow multiple pipelines to run for a single action due to \`rules:when\` clause with no \`workflow:rules\``,
        job.name,
        'rules',
      )
    }
  }
  checkCircles(jobs, byName, problems)
}

interface Known {
  readonly places: ReadonlyMap<string, number>
  readonly byName: ReadonlyMap<string, ConfiguredJob>
}

function checkOthers(job: ConfiguredJob, place: number, { places, byName }: Known, problems: Problems): void {
  const { name } = job
  const ruled = job.rules?.flatMap((rule) => rule.needs ?? []) ?? []
  const needed = new Set<string>()
  for (const need of [...(job.needs ?? []), ...ruled]) {
    const other = find(need.job, byName)
    if (other === undefined) {
      if (!need.optional) problems.error(`${name} job: undefined need: ${need.job}`, name, 'needs')
    } else if ((places.get(other.stage) ?? 0) > place) {
      problems.error(`${name} job: need ${need.job} is not defined in current or prior stages`, name, 'needs')
    }
  }
  for (const need of job.needs ?? []) {
    const key = `${need.job} ${need.suffixes?.join(' ') ?? ''}`
    if (needed.has(key))
      problems.error(
        `jobs:${name}:needs config has the following needs duplicated: ${need.job}.`,
        name,
        'needs',
      )
    needed.add(key)
  }
  for (const dependency of job.dependencies ?? []) {
    const other = find(dependency, byName)
    if (other === undefined) {
      problems.error(`${name} job: undefined dependency: ${dependency}`, name, 'dependencies')
    } else if ((places.get(other.stage) ?? 0) >= place && job.needs === undefined) {
      problems.error(
        `${name} job: dependency ${dependency} is not defined in prior stages`,
        name,
        'dependencies',
      )
    } else if (job.needs !== undefined && !job.needs.some((need) => need.job === dependency)) {
      problems.error(`${name} job: dependency ${dependency} should be part of needs`, name, 'dependencies')
    }
  }
  const { environment } = job
  if (environment?.onStop === undefined) return
  const stop = byName.get(environment.onStop)
  const say = (text: string): void =>
    problems.error(`${name} job: on_stop job ${environment.onStop} ${text}`, name, 'environment')
  if (stop === undefined) say('is not defined')
  else if (stop.environment === undefined) say('does not have environment defined')
  else if (stop.environment.name !== environment.name) say('have different environment name')
  else if (stop.environment.action !== 'stop') say('needs to have action stop defined')
}

/** A job by its name, or by the name of one of those that `parallel` makes of it. */
function find(name: string, byName: ReadonlyMap<string, ConfiguredJob>): ConfiguredJob | undefined {
  const whole = byName.get(name)
  if (whole !== undefined) return whole
  const base = /^(?<base>.+?):? (?:\d+\/\d+|\[.*\])$/s.exec(name)?.groups?.['base']
  const job = base === undefined ? undefined : byName.get(base)
  return job?.copies?.some((copy) => copyName(job, copy.suffix) === name) ? job : undefined
}

/** The name of one of the jobs that `parallel` makes: `build 1/3`, `build: [linux, 12]`. */
export const copyName = (job: { readonly name: string }, suffix: string): string =>
  suffix.startsWith('[') ? `${job.name}: ${suffix}` : `${job.name} ${suffix}`

const runsWithoutCondition = ({ rules }: ConfiguredJob): boolean => {
  const last = rules?.at(-1)
  if (last === undefined || last.when === undefined || last.when === 'never') return false
  return last.if === undefined && last.changes === undefined && last.exists === undefined
}

function checkCircles(
  jobs: readonly ConfiguredJob[],
  byName: ReadonlyMap<string, ConfiguredJob>,
  problems: Problems,
): void {
  const others = (job: ConfiguredJob): string[] =>
    (job.needs ?? []).flatMap((need) => find(need.job, byName)?.name ?? [])
  const alone = jobs.find((job) => others(job).includes(job.name))
  if (alone !== undefined) {
    const text = `The pipeline has circular dependencies: self-dependency: ${alone.name}`
    return problems.error(text, alone.name, 'needs')
  }
  // Takes away what waits for nothing, again and again; what is left goes in circles.
  const left = new Map(jobs.map((job) => [job.name, new Set(others(job))]))
  const waiting = new Map<string, string[]>()
  for (const [name, needs] of left) {
    for (const need of needs) waiting.set(need, [...(waiting.get(need) ?? []), name])
  }
  const free = [...left].filter(([, needs]) => needs.size === 0).map(([name]) => name)
  for (let name = free.pop(); name !== undefined; name = free.pop()) {
    left.delete(name)
    for (const next of waiting.get(name) ?? []) {
      const needs = left.get(next)
      needs?.delete(name)
      if (needs?.size === 0) free.push(next)
    }
  }
  const inCircle = left.keys().next().value
  if (inCircle === undefined) return
  const names = [...left.keys()].slice(0, 5).join(', ')
  problems.error(
    `The pipeline has circular dependencies: topological sort failed: [${names}]`,
    inCircle,
    'needs',
  )
}
