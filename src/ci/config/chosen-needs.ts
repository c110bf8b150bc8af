import type { ChosenJob, NeededJob } from './chosen.ts'
import { copyName } from './check-together.ts'
import type { ConfiguredJob } from './configuration.ts'
import type { Need } from './needs.ts'

/** Jobs that one may need, once names of matrices are replaced by those of their jobs. */
const MOST = 200

/** Replaces names of the file by those of jobs that are in the pipeline; says which are missing. */
export function chosenNeeds(
  chosen: readonly ChosenJob[],
  configured: readonly ConfiguredJob[],
): { jobs: ChosenJob[]; errors: string[] } {
  const names = new Set(chosen.map(({ name }) => name))
  const copies = new Map<string, string[]>()
  for (const { base, name } of chosen) {
    if (base !== name) copies.set(base, [...(copies.get(base) ?? []), name])
  }
  const all = new Map(configured.map((job) => [job.name, job]))
  const errors: string[] = []
  const meant = (need: Need, job: string): string[] => {
    const base = all.get(need.job)
    const wanted = need.suffixes && base ? need.suffixes.map((suffix) => copyName(base, suffix)) : undefined
    const found = (wanted ?? copies.get(need.job) ?? [need.job]).filter((name) => names.has(name))
    const isMissing = wanted ? found.length < wanted.length : found.length === 0
    if (isMissing && !need.optional) {
      const missing = wanted?.find((name) => !names.has(name)) ?? need.job
      errors.push(
        `'${job}' job needs '${missing}' job, but '${missing}' does not exist in the pipeline. This might be because of the only, except, or rules keywords. To need a job that sometimes does not exist in the pipeline, use needs:optional.`,
      )
    }
    return found
  }
  const jobs = chosen.map((job): ChosenJob => {
    const dependencies = job.dependencies?.flatMap((name) => copies.get(name) ?? name)
    if (job.needs === undefined) return { ...job, dependencies }
    const needs = job.needs.flatMap((need) =>
      meant(need, job.name).map((name): NeededJob => ({
        job: name,
        artifacts: need.artifacts,
        optional: need.optional,
      })),
    )
    if (needs.length > MOST) errors.push(`${job.name} job: too many needs (maximum is ${MOST})`)
    return { ...job, needs, dependencies }
  })
  return { jobs, errors }
}
