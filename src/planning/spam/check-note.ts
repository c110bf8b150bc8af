import type { FastifyRequest } from 'fastify'
import { checkForSpam } from './check-for-spam.ts'

/** Checks the body of a note. @throws as {@link checkForSpam} does */
export async function checkNote(req: FastifyRequest, body: string | null | undefined): Promise<void> {
  if (body === null || body === undefined) return
  await checkForSpam(req, { noun: 'note', type: 'Note', title: null, text: body })
}
