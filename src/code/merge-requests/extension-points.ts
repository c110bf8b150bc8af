import type { Tx } from '#platform/db/transaction.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'

/** What a feature does in the transaction that opens a merge request. */
export type AfterOpening = (tx: Tx, mergeRequestId: number) => Promise<void>

export const afterOpening = new ExtensionPoint<AfterOpening>('the list of what follows a new merge request')
