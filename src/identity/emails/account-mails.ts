import type { Tx } from '#platform/db/transaction.ts'
import { letter } from '#platform/mail/letter.ts'
import { queueMails } from '#platform/mail/queue-mails.ts'
import { lifetimes, linkPaths, makeLink } from './account-links.ts'

/** Whose account a mail is about. */
export interface Addressee {
  readonly id: number
  readonly username: string
  readonly name: string
  readonly email: string
}

const to = ({ name, email }: Addressee) => ({ name, address: email })

/** Asks the owner of an address to confirm that it belongs to the account. */
export async function mailConfirmation(
  tx: Tx,
  user: Addressee,
  address: string,
  site: string,
): Promise<void> {
  if (!tx.sendsMail) return
  const secret = await makeLink(tx, 'email', { user_id: user.id, email: address }, lifetimes.email)
  const mail = letter({
    subject: 'Confirm your e-mail address',
    lines: [
      `Hello ${user.name},`,
      `please confirm that ${address} belongs to your account ${user.username} at ${site}.`,
    ],
    link: { title: 'Confirm this address', url: `${site}${linkPaths.email}${secret}` },
    after: [
      'The link works for three days. If you know nothing of this, ignore this mail: without the link, nothing happens.',
    ],
  })
  await queueMails(tx, [{ ...mail, to: { name: user.name, address } }])
}

/** Tells somebody of the account that was made for them; without a password with a link to set one. */
export async function mailWelcome(
  tx: Tx,
  user: Addressee,
  hasPassword: boolean,
  site: string,
): Promise<void> {
  if (!tx.sendsMail) return
  const link = hasPassword
    ? { title: 'Sign in', url: `${site}/users/sign_in` }
    : await passwordLink(tx, user, lifetimes.firstPassword, 'Set your password', site)
  const mail = letter({
    subject: 'An account was created for you',
    lines: [
      `Hello ${user.name},`,
      `an administrator created an account for you at ${site}. Your username is ${user.username}.`,
    ],
    link,
    after: hasPassword
      ? []
      : [`The link works for three days. After that, ask for a new one: ${site}/users/password/new`],
  })
  await queueMails(tx, [{ ...mail, to: to(user) }])
}

/** Sends a link with which a new password can be set. */
export async function mailReset(tx: Tx, user: Addressee, site: string): Promise<void> {
  if (!tx.sendsMail) return
  const mail = letter({
    subject: 'Reset your password',
    lines: [
      `Hello ${user.name},`,
      `somebody, hopefully you, asked to reset the password of your account ${user.username} at ${site}.`,
    ],
    link: await passwordLink(tx, user, lifetimes.password, 'Set a new password', site),
    after: ['The link works once, for an hour. If it was not you, ignore this mail: your password stays.'],
  })
  await queueMails(tx, [{ ...mail, to: to(user) }])
}

async function passwordLink(tx: Tx, user: Addressee, minutes: number, title: string, site: string) {
  const secret = await makeLink(tx, 'password', { user_id: user.id, email: user.email }, minutes)
  return { title, url: `${site}${linkPaths.password}${secret}` }
}

/** Tells somebody that their password was changed, in case it was not them. */
export async function mailPasswordChanged(tx: Tx, user: Addressee): Promise<void> {
  const mail = letter({
    subject: 'Your password was changed',
    lines: [
      `Hello ${user.name},`,
      `the password of your account ${user.username} was changed on ${moment(tx.now)}.`,
      'If it was not you, reset it at once and tell your administrator.',
    ],
  })
  await queueMails(tx, [{ ...mail, to: to(user) }])
}

/** Tells somebody of a sign-in from where they have not been seen before. */
export async function mailNewPlace(
  tx: Tx,
  user: Addressee,
  { ip, browser }: { readonly ip: string | null; readonly browser: string },
): Promise<void> {
  const mail = letter({
    subject: 'Somebody signed in from a new place',
    lines: [
      `Hello ${user.name},`,
      `somebody signed in to your account ${user.username} on ${moment(tx.now)}, with ${browser}${ip === null ? '' : ` from the address ${ip}`}.`,
      'We have not seen this browser and address together before. If it was you, there is nothing to do. Otherwise change your password: that ends all other sessions.',
    ],
  })
  await queueMails(tx, [{ ...mail, to: to(user) }])
}

/** `2026-11-22 16:30 UTC` */
const moment = (now: string) => `${now.slice(0, 10)} ${now.slice(11, 16)} UTC`
