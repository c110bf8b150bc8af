import type { Tx } from '#db/transaction.ts'

/** Keeps what somebody chose: to hear of an issue, or not to, whether or not they take part. */
export async function subscribeIssue(
  tx: Tx,
  issueId: number,
  userId: number,
  subscribed: boolean,
): Promise<void> {
  await tx.db
    .insertInto('issue_subscriptions')
    .values({ issue_id: issueId, user_id: userId, subscribed })
    .onConflict((oc) => oc.columns(['issue_id', 'user_id']).doUpdateSet({ subscribed }))
    .execute()
}
