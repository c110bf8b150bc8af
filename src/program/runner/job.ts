import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'

const nullable = <T extends Parameters<typeof Type.Array>[0]>(type: T) =>
  Type.Optional(Type.Union([type, Type.Null()]))
const strings = Type.Array(Type.String())

/** What a job says that files of the work folder are kept for. */
const Artifacts = Type.Object({
  name: nullable(Type.String()),
  paths: nullable(strings),
  exclude: nullable(strings),
  untracked: nullable(Type.Boolean()),
  when: nullable(Type.String()),
  expire_in: nullable(Type.String()),
  artifact_type: nullable(Type.String()),
  artifact_format: nullable(Type.String()),
})

const Cache = Type.Object({
  key: nullable(Type.String()),
  paths: nullable(strings),
  untracked: nullable(Type.Boolean()),
  policy: nullable(Type.String()),
  when: nullable(Type.String()),
  fallback_keys: nullable(strings),
})

/** A job as a server gives it to a runner: what this one uses of it. */
const ReceivedJob = Type.Object({
  id: Type.Integer(),
  token: Type.String(),
  job_info: Type.Object({ name: Type.String(), project_id: Type.Integer() }),
  git_info: Type.Object({
    repo_url: Type.String(),
    sha: Type.String(),
    refspecs: nullable(strings),
    depth: nullable(Type.Integer()),
  }),
  runner_info: Type.Object({ timeout: Type.Integer() }),
  variables: Type.Array(
    Type.Object({ key: Type.String(), value: nullable(Type.String()), file: nullable(Type.Boolean()) }),
  ),
  steps: Type.Array(
    Type.Object({
      name: Type.String(),
      script: strings,
      when: Type.String(),
      timeout: nullable(Type.Integer()),
    }),
  ),
  hooks: nullable(Type.Array(Type.Object({ name: Type.String(), script: strings }))),
  artifacts: nullable(Type.Array(Artifacts)),
  cache: nullable(Type.Array(Cache)),
  dependencies: nullable(
    Type.Array(
      Type.Object({
        id: Type.Integer(),
        name: Type.String(),
        token: Type.String(),
        artifacts_file: nullable(Type.Object({ filename: nullable(Type.String()) })),
      }),
    ),
  ),
})
export type ReceivedJob = Static<typeof ReceivedJob>
export type ArtifactsOfJob = Static<typeof Artifacts>
export type CacheOfJob = Static<typeof Cache>

/** Reads a job. @returns undefined for an answer that is none */
export const readJob = (answer: unknown): ReceivedJob | undefined =>
  Check(ReceivedJob, answer) ? answer : undefined

/** The value of a variable; of several with one name the last one counts. Undefined where there is none. */
export const valueOf = ({ variables }: Pick<ReceivedJob, 'variables'>, key: string): string | undefined =>
  variables.findLast((one) => one.key === key)?.value ?? undefined
