import { type Static, Type } from 'typebox'
import { CommitEntity } from '#code/commits/entity.ts'
import { base64Content } from '#code/repositories/send-blob.ts'
import { entity, integer } from '#platform/http/schema.ts'
import type { FileInCommit } from './find-file.ts'

const facts = {
  file_name: Type.String(),
  file_path: Type.String(),
  size: integer(),
  /** Empty for a file that is too large for JSON. */
  content_sha256: Type.String(),
  ref: Type.String(),
  blob_id: Type.String(),
  commit_id: Type.String(),
  last_commit_id: Type.String({ description: 'The last commit that changed the file.' }),
  execute_filemode: Type.Boolean(),
}

/** A file with its content. */
export const RepositoryFile = entity('RepositoryFile', { ...facts, ...base64Content })

/** Neighbouring lines that came with the same commit. */
export const BlameRangeEntity = entity('BlameRange', {
  commit: CommitEntity,
  lines: Type.Array(Type.String()),
})

const Facts = Type.Object(facts)
export type FileFacts = Static<typeof Facts>

export function presentFacts(
  { commit, entry, blob }: FileInCommit,
  more: Pick<FileFacts, 'ref' | 'last_commit_id' | 'content_sha256'>,
): FileFacts {
  return {
    file_name: entry.name,
    file_path: entry.path,
    size: blob.size,
    content_sha256: more.content_sha256,
    ref: more.ref,
    blob_id: blob.id,
    commit_id: commit,
    last_commit_id: more.last_commit_id,
    execute_filemode: entry.mode === '100755',
  }
}

/** The same as headers. Names may hold characters that headers may not: they are percent-encoded. */
export function factHeaders(facts: FileFacts): Record<string, string> {
  return {
    'x-gitlab-blob-id': facts.blob_id,
    'x-gitlab-commit-id': facts.commit_id,
    ...(facts.content_sha256 !== '' && { 'x-gitlab-content-sha256': facts.content_sha256 }),
    'x-gitlab-encoding': 'base64',
    'x-gitlab-execute-filemode': String(facts.execute_filemode),
    'x-gitlab-file-name': headerText(facts.file_name),
    'x-gitlab-file-path': headerText(facts.file_path),
    'x-gitlab-last-commit-id': facts.last_commit_id,
    'x-gitlab-ref': headerText(facts.ref),
    'x-gitlab-size': String(facts.size),
  }
}

const headerText = (text: string): string => text.replaceAll(/[^\x20-\x7e]+/gu, encodeURIComponent)
