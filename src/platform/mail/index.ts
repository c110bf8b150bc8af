import type { Feature } from '#platform/feature.ts'
import { daily, scheduled } from '#platform/jobs/schedule.ts'
import { deliverMails, forgetMails } from './deliver-mails.ts'

/** Mail that the instance sends. */
export const mail: Feature = {
  tasks: [deliverMails, forgetMails],
  schedule: [scheduled('* * * * *', deliverMails, {}), daily('03:35', forgetMails, {})],
}
