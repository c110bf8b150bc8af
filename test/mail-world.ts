import { mails } from './smtp.ts'
import { openWorld } from './world.ts'

/** For `openWorld`: a server that sends its mails to the tests' listener. */
export const sendingMails = { FORGELET_SMTP_URL: mails.url }

/** The shared world of tests about mails. The other one sends none, because most of what tests do would cause some. */
export const w = await openWorld(undefined, undefined, sendingMails)
