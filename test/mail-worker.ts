import type { DatabaseAddress } from '#platform/db/pool.ts'
import { type Jobs, startJobs } from '#platform/jobs/start.ts'
import { deliverMails } from '#platform/mail/deliver-mails.ts'
import { readConfig } from '#platform/config/config.ts'
import type { MailServer } from '#platform/mail/mail-server.ts'
import { openMailServer } from '#platform/mail/open-mail-server.ts'
import { jobsOn, quick, quiet } from './job-worker.ts'

// Delivers the mails of a database, in this process or, as a program, in one that can be killed.

/** @param url as in `FORGELET_SMTP_URL` @param env what else is configured */
export async function deliverTo(
  url: string,
  address: DatabaseAddress,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly server: MailServer; readonly jobs: Jobs } & AsyncDisposable> {
  const server = openMailServer(readConfig({ FORGELET_SMTP_URL: url, ...env }), quiet)
  if (server === undefined) throw new Error(`${url} is not accepted`)
  const jobsOf = jobsOn(address)
  const jobs = await startJobs({
    ...jobsOf,
    ...quick,
    services: (db) => ({ ...jobsOf.services(db), mail: server, sendsMail: true }),
    tasks: [deliverMails],
  })
  return {
    server,
    jobs,
    [Symbol.asyncDispose]: async () => {
      await jobs.stop()
      await server.close()
    },
  }
}

if (import.meta.main) {
  const address = JSON.parse(process.env['TEST_DATABASE'] ?? '') as DatabaseAddress
  await deliverTo(process.env['TEST_SMTP'] ?? '', address)
  process.stdout.write('ready\n')
}
