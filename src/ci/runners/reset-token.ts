import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { aboutRunner } from './about-runner.ts'
import type { NewRunnerToken } from './tokens.ts'

/** Gives a runner another token. The one before ends at once; jobs that it has go on, by tokens of their own. */
export async function resetToken(
  tx: Tx,
  runner: {
    readonly id: number
    readonly description: string | null
    readonly owner_namespace_id: number | null
  },
  token: NewRunnerToken,
  end: string | null,
): Promise<void> {
  await tx.db
    .updateTable('ci_runners')
    .set({ token_digest: token.digest, token_expires_at: end, updated_at: tx.now })
    .where('id', '=', runner.id)
    .execute()
  record(tx, { name: 'runner token reset', ...aboutRunner(runner, runner.owner_namespace_id) })
}
