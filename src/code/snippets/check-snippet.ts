import type { FastifyRequest } from 'fastify'
import type { Visibility } from '#platform/db/schema.ts'
import { checkForSpam } from '#planning/spam/check-for-spam.ts'
import type { SnippetPlace } from './place.ts'

export interface SnippetContent {
  readonly title: string
  readonly description?: string | null
  readonly visibility: Visibility
  readonly files: Readonly<Record<string, string>>
}

/** Checks a snippet for spam; not one that nobody but its author sees. @throws as {@link checkForSpam} does */
export async function checkSnippet(
  req: FastifyRequest,
  { scope }: SnippetPlace,
  { title, description, visibility, files }: SnippetContent,
): Promise<void> {
  if (scope.project === null && visibility === 'private') return
  const text = [description ?? '', ...Object.values(files)].filter((part) => part !== '').join('\n\n')
  const type = scope.project === null ? 'PersonalSnippet' : 'ProjectSnippet'
  await checkForSpam(req, { noun: 'snippet', type, title, text })
}
