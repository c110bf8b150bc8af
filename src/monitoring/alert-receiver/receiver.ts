import { transact, type TransactionSource } from '#platform/db/transaction.ts'
import { Batches } from './batches.ts'
import { type ReceivingProject, findProjectsByPath } from './look-up.ts'
import { type ReportAnswer, type ReportedTo, takeIn } from './take-in.ts'
import type { ReceivedReport } from './reckon.ts'

/** What one request reports. */
interface Request {
  readonly to: ReportedTo
  readonly reports: readonly ReceivedReport[]
}

/** Requests whose projects are found in one statement, and those whose reports are written in one transaction. */
const MOST_LOOK_UPS = 200
const MOST_REQUESTS = 200

/** Takes reports in for this process. What arrives together is looked up and written together. */
export interface Receiver {
  /** Finds the project at a path. The search begins after this is called, so it sees every change that was made before. */
  find(path: string): Promise<ReceivingProject | undefined>
  /** Writes reports. When it is done they are safe on the disk. @returns the alert of each */
  take(to: ReportedTo, reports: readonly ReceivedReport[]): Promise<readonly ReportAnswer[]>
}

export function openReceiver(source: TransactionSource): Receiver {
  const lookUps = new Batches<string, ReceivingProject | null>(
    (paths) => findProjectsByPath(source.db, paths),
    MOST_LOOK_UPS,
  )
  const writes = new Batches<Request, readonly ReportAnswer[]>(
    (requests) => write(source, requests),
    MOST_REQUESTS,
  )
  return {
    find: async (path) => (await lookUps.do(path)) ?? undefined,
    take: (to, reports) => writes.do({ to, reports }),
  }
}

/** Writes the reports of several requests in one transaction: one project after the other, by their ids. */
function write(
  source: TransactionSource,
  requests: readonly Request[],
): Promise<(readonly ReportAnswer[])[]> {
  const byProject = new Map<number, Request[]>()
  for (const request of requests) {
    const { projectId } = request.to
    byProject.set(projectId, [...(byProject.get(projectId) ?? []), request])
  }
  const inOrder = [...byProject].toSorted(([a], [b]) => a - b)
  return transact(source, { author: null, ip: null }, async (tx) => {
    const answers = new Map<Request, readonly ReportAnswer[]>()
    for (const [, group] of inOrder) {
      const to = group.at(-1)?.to
      if (to === undefined) continue
      const answered = await takeIn(
        tx,
        to,
        group.flatMap(({ reports }) => reports),
      )
      let next = 0
      for (const request of group) {
        answers.set(request, answered.slice(next, next + request.reports.length))
        next += request.reports.length
      }
    }
    return requests.map((request) => answers.get(request) ?? [])
  })
}
