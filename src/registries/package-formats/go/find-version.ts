import type { FastifyRequest } from 'fastify'
import { type Commit } from '#code/git/commit.ts'
import { TAGS } from '#code/git/names.ts'
import { readCommit, readObject } from '#code/git/objects.ts'
import type { Repository } from '#code/git/repository.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import { objectAt } from '#code/git/tree.ts'
import { requestedRepository } from '#code/repositories/requested.ts'
import { notFound } from '#platform/refusals.ts'
import { isVersionOf, type ModulePath, readModulePath, tagOf, unescaped } from './module-path.ts'

/** A module of the project that a request names, and the repository that it is in. */
export interface FoundModule extends ModulePath {
  readonly repository: Repository
}

/** A version of a module. */
export interface FoundVersion {
  readonly module: FoundModule
  readonly version: string
  readonly commit: Commit
  /** Where it is at that commit. */
  readonly folder: string
  readonly goMod: string
}

/** Bytes of a `go.mod`. */
const MOST_GO_MOD = 16 * 1024 * 1024

/** @throws 404 for a module of another project, of an empty one, and for those who may not read its code */
export async function findModule(req: FastifyRequest, escaped: string): Promise<FoundModule> {
  const { container, can } = req.project()
  const repository = await requestedRepository(req)
  if (repository === undefined || !can('download_code')) throw notFound('Module')
  return { ...readModulePath(escaped, container.full_path), repository }
}

/** Finds the version whose tag a repository has. @throws 404 for none, and where its `go.mod` is about another module */
export async function findVersion(module: FoundModule, escaped: string): Promise<FoundVersion> {
  const version = unescaped(escaped)
  const { repository, path, folder, major } = module
  const id = isVersionOf(module, version)
    ? await resolveCommit(repository, TAGS + tagOf(module, version))
    : undefined
  const commit = id === undefined ? undefined : await readCommit(repository, id)
  if (commit === undefined) throw notFound('Version')
  // A later major version may be in a folder of its own.
  const folders =
    major === undefined ? [folder] : [folder === '' ? `v${major}` : `${folder}/v${major}`, folder]
  for (const one of folders) {
    const goMod = await goModIn(repository, commit.id, one)
    if (goMod !== undefined && modulePathIn(goMod) === path)
      return { module, version, commit, folder: one, goMod }
  }
  // Before there were modules, a repository without `go.mod` was one.
  if (major === undefined && folder === '' && (await goModIn(repository, commit.id, '')) === undefined)
    return { module, version, commit, folder, goMod: `module ${path}\n` }
  throw notFound('Version')
}

async function goModIn(repository: Repository, commit: string, folder: string): Promise<string | undefined> {
  const found = await objectAt(repository, commit, folder === '' ? 'go.mod' : `${folder}/go.mod`)
  if (found?.type !== 'blob' || found.size > MOST_GO_MOD) return undefined
  const read = await readObject(repository, found.id)
  return read?.content.toString('utf8')
}

/** The path that a `go.mod` says of its module. */
const modulePathIn = (goMod: string): string | undefined =>
  /^\s*module\s+(?:\(\s*)?["`]?([^\s"`)]+)/m.exec(goMod.replaceAll(/\/\/.*$/gm, ''))?.[1]

/** The version of Go that a `go.mod` asks for. */
export const goVersionIn = (goMod: string): string | undefined => /^\s*go\s+(\S+)/m.exec(goMod)?.[1]
