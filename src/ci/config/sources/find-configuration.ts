import type { Sources } from './sources.ts'
import { textAt } from './sources.ts'
import type { Tree } from './trees.ts'

/** The text of a configuration and where it is from; or why there is none. */
export type FoundConfiguration =
  | { readonly text: string; readonly file: string; readonly tree: string }
  | { readonly isMissing: true }
  | { readonly error: string }

const STANDARD = '.gitlab-ci.yml'

/**
 * Finds the configuration of a project at a commit.
 * @param path `ci_config_path` of the project: a path, an address, or `path@group/project:ref`
 */
export async function findConfiguration(
  sources: Sources,
  own: Tree | null,
  path: string | null,
): Promise<FoundConfiguration> {
  const file = path ?? STANDARD
  const elsewhere = /^([^@]+)@([^:]+)(?::(.+))?$/.exec(file)
  if (/^https?:\/\//i.test(file))
    return only(await sources.answer({ about: 'files', requests: [{ type: 'remote', url: file }] }))
  if (elsewhere !== null) {
    const [, inProject = '', project = '', ref = null] = elsewhere
    const requests = [{ type: 'project', project, ref, path: inProject }] as const
    return only(await sources.answer({ about: 'files', requests }))
  }
  if (own === null) return { isMissing: true }
  const text = await textAt(own, file.replace(/^\/+/, ''))
  if (text === null) return { error: `File \`${file}\` is too large!` }
  return text === undefined ? { isMissing: true } : { text, file, tree: sources.own }
}

function only(answer: Awaited<ReturnType<Sources['answer']>>): FoundConfiguration {
  const first = typeof answer === 'string' ? undefined : answer?.[0]
  if (first === undefined) return { isMissing: true }
  if ('error' in first) return first
  const [file] = first.files
  return file === undefined
    ? { isMissing: true }
    : { text: file.text, file: file.shown.location, tree: file.tree }
}
