import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/schema'

// What a server gives a runner, as far as this one reads it. Servers send more.

const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const texts = Type.Array(Type.String())
const when = maybe(Type.String())

const Variable = Type.Object({
  key: Type.String(),
  value: maybe(Type.String()),
  file: maybe(Type.Boolean()),
  /** Whether a `$` in the value is one. */
  raw: maybe(Type.Boolean()),
})

const Step = Type.Object({
  name: Type.String(),
  script: maybe(texts),
  /** In seconds. */
  timeout: maybe(Type.Number()),
  allow_failure: maybe(Type.Boolean()),
})

const Artifact = Type.Object({
  name: maybe(Type.String()),
  untracked: maybe(Type.Boolean()),
  paths: maybe(texts),
  exclude: maybe(texts),
  when,
  expire_in: maybe(Type.String()),
  artifact_type: maybe(Type.String()),
  artifact_format: maybe(Type.String()),
})

const Cache = Type.Object({
  key: Type.String(),
  untracked: maybe(Type.Boolean()),
  policy: maybe(Type.String()),
  paths: maybe(texts),
  when,
  fallback_keys: maybe(texts),
})

const Dependency = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  token: Type.String(),
  artifacts_file: maybe(Type.Object({ filename: Type.String() })),
})

/** An image that this runner does not start. */
const Container = Type.Object({ name: maybe(Type.String()) })

const Job = Type.Object({
  id: Type.Integer(),
  token: Type.String(),
  allow_git_fetch: maybe(Type.Boolean()),
  job_info: Type.Object({
    name: Type.String(),
    project_id: Type.Integer(),
    project_name: Type.String(),
    project_full_path: maybe(Type.String()),
  }),
  git_info: Type.Object({
    repo_url: Type.String(),
    sha: Type.String(),
    ref: Type.String(),
    refspecs: maybe(texts),
    depth: maybe(Type.Integer()),
  }),
  runner_info: Type.Object({ timeout: Type.Number() }),
  variables: Type.Array(Variable),
  steps: Type.Array(Step),
  image: maybe(Container),
  services: maybe(Type.Array(Container)),
  hooks: maybe(Type.Array(Type.Object({ name: Type.String(), script: texts }))),
  artifacts: maybe(Type.Array(Artifact)),
  cache: maybe(Type.Array(Cache)),
  dependencies: maybe(Type.Array(Dependency)),
})

export type Job = Static<typeof Job>
export type Variable = Static<typeof Variable>
export type Step = Static<typeof Step>
export type Artifact = Static<typeof Artifact>
export type Cache = Static<typeof Cache>
export type Dependency = Static<typeof Dependency>

export const isJob = (value: unknown): value is Job => Check(Job, value)

/** What is left of a job that this runner cannot read, so that it can refuse it. */
const Refusable = Type.Object({ id: Type.Integer(), token: Type.String() })
export const isRefusable = (value: unknown): value is Static<typeof Refusable> => Check(Refusable, value)
