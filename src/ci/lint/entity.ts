import { type Static, Type } from 'typebox'
import { entity, nullable } from '#platform/http/schema.ts'
import type { ChosenJob } from '../config/chosen.ts'
import type { ReadPipeline } from '../config/pipeline-reading.ts'
import type { Problem } from '../config/problems.ts'
import type { ShownJob } from '../config/reader/shown-job.ts'
import type { Json } from '../config/values.ts'

const anything = (description: string) => Type.Unsafe<Json>({ description })

const LintedJob = Type.Object({
  name: Type.String(),
  stage: Type.String(),
  before_script: Type.Array(Type.String()),
  script: Type.Array(Type.String()),
  after_script: Type.Array(Type.String()),
  tag_list: Type.Array(Type.String()),
  only: anything('As the file has it.'),
  except: anything('As the file has it.'),
  environment: nullable(Type.String()),
  when: Type.String(),
  allow_failure: Type.Boolean(),
  needs: nullable(Type.Array(Type.Object({ name: Type.String(), artifacts: Type.Boolean() }))),
})

const Include = Type.Object({
  type: Type.String(),
  location: Type.String(),
  blob: nullable(Type.String()),
  raw: nullable(Type.String()),
  extra: Type.Record(Type.String(), Type.String()),
  context_project: nullable(Type.String()),
  context_sha: nullable(Type.String()),
})

/** What is wrong with a CI configuration. */
export const CiLint = entity('CiLint', {
  valid: Type.Boolean(),
  errors: Type.Array(Type.String()),
  warnings: Type.Array(Type.String()),
  merged_yaml: nullable(Type.String({ description: 'The file with all that it includes and refers to.' })),
  includes: Type.Array(Include),
  jobs: Type.Optional(Type.Array(LintedJob)),
})

interface Wanted {
  /** Whether a pipeline is imagined, and only its jobs count. */
  readonly dryRun: boolean
  readonly withJobs: boolean
}

export function presentLint(read: ReadPipeline, { dryRun, withJobs }: Wanted): Static<typeof CiLint> {
  const { chosen } = read
  const errors = read.isThere ? read.errors.map(inWords) : ['Please provide content of .gitlab-ci.yml']
  const all = dryRun && errors.length === 0 ? [...(chosen?.errors ?? [])] : errors
  const jobs: readonly (ShownJob | ChosenJob)[] = dryRun ? (chosen?.jobs ?? []) : read.configured
  return {
    valid: all.length === 0,
    errors: all,
    warnings: read.warnings.map(inWords),
    merged_yaml: read.merged,
    includes: read.includes.map(({ type, location, blob, raw, extra, contextProject, contextSha }) => ({
      type,
      location,
      blob,
      raw,
      extra: { ...extra },
      context_project: contextProject,
      context_sha: contextSha,
    })),
    ...(withJobs && { jobs: all.length > 0 ? [] : jobs.map(presentJob) }),
  }
}

/** A problem with the place where it is, if that is known. */
const inWords = ({ text, file, line }: Problem): string =>
  line === undefined ? text : `${text} (${file ?? ''} line ${line})`

function presentJob(job: ShownJob | ChosenJob): Static<typeof LintedJob> {
  const script = (key: string): string[] => {
    const held = job.options[key]
    return Array.isArray(held) ? held.map(String) : []
  }
  return {
    name: job.name,
    stage: job.stage,
    before_script: script('before_script'),
    script: script('script'),
    after_script: script('after_script'),
    tag_list: [...job.tags],
    only: 'only' in job ? (job.only ?? { refs: ['branches', 'tags'] }) : null,
    except: 'except' in job ? job.except : null,
    environment: job.environment?.name ?? null,
    when: job.when,
    allow_failure: job.allowFailure === true,
    needs: job.needs?.map((need) => ({ name: need.job, artifacts: need.artifacts })) ?? null,
  }
}
