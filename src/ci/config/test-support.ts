import { chooseJobs, type ChosenJobs, type PipelineContext } from './choose-jobs.ts'
import type { Configuration } from './configuration.ts'
import type { ScopedValue } from './expand.ts'
import type { IncludeAnswer, IncludeRequest } from './includes.ts'
import { inputsOf, readConfiguration } from './read-configuration.ts'
import type { Json } from './values.ts'

/** What a test says of the repository and the pipeline. */
export interface Given {
  readonly files?: Readonly<Record<string, string>>
  readonly changed?: readonly string[]
  readonly existing?: readonly string[]
  readonly variables?: Readonly<Record<string, string>>
  readonly kept?: Readonly<Record<string, string>>
  readonly inputs?: Readonly<Record<string, Json>>
  readonly ref?: string
  readonly isTag?: boolean
  readonly source?: string
}

const scoped = (values: Readonly<Record<string, string>> = {}): Map<string, ScopedValue> =>
  new Map(Object.entries(values).map(([key, value]) => [key, { value, raw: false }]))

const pathsOf = (paths: readonly string[] | undefined): string | null =>
  paths === undefined ? null : paths.map((path) => `${path}\0`).join('')

const sourceOf = ({ changed, existing, files = {} }: Given): PipelineContext['paths'] => ({
  changed: () => Promise.resolve(pathsOf(changed)),
  existing: () => Promise.resolve(pathsOf(existing ?? Object.keys(files))),
})

/** Reads a configuration whose includes are among the files that a test gives. */
export function read(text: string, given: Given = {}): Promise<Configuration> {
  const { files = {}, variables, kept, inputs = {} } = given
  return readConfiguration(text, {
    files: {
      fetch: (requests) => Promise.resolve(requests.map((request) => answer(request, files))),
    },
    paths: sourceOf(given),
    variables: scoped({ ...variables, ...kept }),
    inputs: inputsOf(inputs),
    file: '.gitlab-ci.yml',
    tree: 'own',
  })
}

function answer(request: IncludeRequest, files: Readonly<Record<string, string>>): IncludeAnswer {
  const name =
    request.type === 'local'
      ? request.path.replace(/^\//, '')
      : request.type === 'project'
        ? `${request.project}:${request.path}`
        : request.type === 'remote'
          ? request.url
          : request.type === 'artifact'
            ? request.path
            : request.name
  const text = files[name]
  if (text === undefined) return { error: `Local file \`${name}\` does not exist!` }
  const nowhere = { blob: null, raw: null, extra: {}, contextProject: null, contextSha: null }
  const type = request.type === 'project' ? 'file' : request.type
  return { files: [{ text, tree: 'own', shown: { type, location: name, ...nowhere } }] }
}

/** Reads a configuration without errors, and chooses the jobs of a pipeline. */
export async function choose(text: string, given: Given = {}): Promise<ChosenJobs> {
  const configuration = await read(text, given)
  if (configuration.errors.length > 0) throw new Error(errorsOf(configuration).join('; '))
  const { variables, kept, ref = 'main', isTag = false, source = 'push' } = given
  return chooseJobs(configuration, {
    ref,
    isTag,
    source,
    projectPath: 'group/project',
    paths: sourceOf(given),
    predefined: scoped({ CI_PIPELINE_SOURCE: source, CI_COMMIT_REF_NAME: ref, ...variables }),
    kept: scoped(kept),
    given: new Map(),
  })
}

/** Names of the jobs that a pipeline has. */
export const namesOf = async (text: string, given?: Given): Promise<string[]> =>
  (await choose(text, given)).jobs.map(({ name }) => name)

export const errorsOf = ({ errors }: Configuration): string[] => errors.map(({ text }) => text)
