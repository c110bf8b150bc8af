import type { FastifyRequest } from 'fastify'
import type { Quarantine } from '#code/git/quarantine.ts'
import type { WrittenBy } from '#platform/db/transaction.ts'
import { conflict, type Refusal, refusal } from '#platform/refusals.ts'
import { knownTexts } from '#platform/known-texts.ts'
import { changeReferences } from './change-references.ts'
import { type ChangeOutcome, hasHappened } from './outcome.ts'
import { refusalOfName, type ReferenceChange, type ReferenceChanger } from './rules.ts'
import type { StoredRepository } from './rows.ts'

export interface ChangeAsOptions {
  /** The new objects. */
  readonly quarantine?: Quarantine
  /** What to answer when somebody else was faster; by default 409. */
  readonly onConflict?: () => Refusal | undefined | Promise<Refusal | undefined>
  /** What to answer when a rule refuses it; by default 403 with its sentence. */
  readonly onRefused?: (because: string) => Refusal
}

/** By whom what a request does is recorded. */
export const writtenByCaller = (req: FastifyRequest): WrittenBy => ({
  author: req.user(),
  impersonatorId: req.identity?.impersonatorId ?? null,
  ip: req.ip,
  requestId: req.id,
})

/** Whose rights decide about what a request changes in the project that it names. */
export const changerOf = (req: FastifyRequest): ReferenceChanger => ({
  accessContext: req.project().accessContext,
  userId: req.user().id,
})

/**
 * Changes one reference in the name of the caller.
 * @throws 403 when a rule refuses it, 409 when somebody else was faster, 503 while the repository is read-only.
 */
export async function changeAs(
  req: FastifyRequest,
  repository: StoredRepository,
  change: ReferenceChange,
  { quarantine, onConflict, onRefused }: ChangeAsOptions = {},
): Promise<void> {
  assertName(change)
  const [outcome] = await changeAllAs(req, repository, [change], quarantine)
  if (hasHappened(outcome, onRefused)) return
  throw (await onConflict?.()) ?? conflict(`409 Conflict - ${outcome?.refused?.text}`)
}

/** @throws 400 for a name that a reference may not have: for people `error` says why */
export function assertName(change: ReferenceChange, inside = (text: string) => text): void {
  const because = refusalOfName(change)
  if (because === undefined) return
  const [, kind, name = change.ref] = /^refs\/(heads|tags)\/(.*)$/s.exec(change.ref) ?? []
  const message = inside(knownTexts[kind === 'tags' ? 'bad-tag-name' : 'bad-branch-name'])
  throw refusal(message, `${name}: ${because}`)
}

/** The same for many, each of which is refused on its own. */
export function changeAllAs(
  req: FastifyRequest,
  repository: StoredRepository,
  changes: readonly ReferenceChange[],
  quarantine?: Quarantine,
): Promise<readonly ChangeOutcome[]> {
  return changeReferences(req.server.services.repositories, repository, {
    changes,
    by: writtenByCaller(req),
    changer: changerOf(req),
    cause: 'api',
    site: req.site,
    atomic: false,
    ...(quarantine && { quarantine }),
  })
}
