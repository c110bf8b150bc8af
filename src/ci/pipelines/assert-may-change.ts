import type { FastifyRequest } from 'fastify'
import { forbidden } from '#platform/refusals.ts'
import { rightsToRun } from './rights-to-run.ts'

/**
 * Lets the caller change what runs for a branch or tag of the requested project.
 * @throws 403 for a protected one that the caller may neither push to nor merge into
 */
export async function assertMayChange(
  req: FastifyRequest,
  { ref, tag }: { readonly ref: string; readonly tag: boolean },
): Promise<void> {
  if (!(await mayChange(req, { ref, tag }))) throw forbidden()
}

/** Whether the caller may do that. */
export async function mayChange(
  req: FastifyRequest,
  { ref, tag }: { readonly ref: string; readonly tag: boolean },
): Promise<boolean> {
  const caller = { authorized: req.project(), viewer: req.viewer }
  return (await rightsToRun(req.server.db, caller, ref, tag)).mayRun
}
