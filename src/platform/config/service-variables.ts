import { readMailbox, readSmtpUrl } from '#platform/mail/smtp-url.ts'
import { asListenAddress, asWebUrl } from './config-values.ts'

const asKey = (text: string) => (/^\S{1,255}$/.test(text) ? text : undefined)

/** The variables that name further addresses: of images, and of servers of others for mail, spam and CAPTCHAs. */
export const serviceVariables = {
  registryUrl: {
    name: 'FORGELET_REGISTRY_URL',
    fallback: undefined,
    accepts: 'an http or https URL without a path',
    about:
      'The address under which clients push and pull images, where they have a host or a port of their own. Unset: the host of the external URL, with the port of `FORGELET_REGISTRY_ADDRESS`, if that is set.',
    read: (text: string) => {
      const url = asWebUrl(text)
      return url !== undefined && new URL(url).pathname === '/' ? url : undefined
    },
  },
  registryAddress: {
    name: 'FORGELET_REGISTRY_ADDRESS',
    fallback: undefined,
    accepts: 'an address and a port, such as 0.0.0.0:5050 or [::]:5050',
    about: 'Where the server also listens for clients of images. Nothing else is answered there.',
    read: (text: string) => {
      const address = asListenAddress(text)
      return address?.port === 0 ? undefined : address
    },
  },
  smtpUrl: {
    name: 'FORGELET_SMTP_URL',
    fallback: undefined,
    accepts:
      'smtp://user:password@host:587 or smtps://user:password@host:465, with ?tls=required (or offered, none; only smtp), &connections=NUMBER&timeout=SECONDS as needed',
    about:
      'The mail server that mails are handed to. Unset: no mail is sent or kept. With a user, `smtp://` sends nothing without TLS. See the guide about mail.',
    secret: true,
    read: readSmtpUrl,
  },
  mailFrom: {
    name: 'FORGELET_MAIL_FROM',
    fallback: undefined,
    accepts: 'an address such as forgelet@example.com, or Forgelet <forgelet@example.com>',
    about: 'Whom mails come from. Unset: `noreply` at the host of `FORGELET_EXTERNAL_URL`.',
    read: readMailbox,
  },
  mailReplyTo: {
    name: 'FORGELET_MAIL_REPLY_TO',
    fallback: undefined,
    accepts: 'an address such as help@example.com, or Help <help@example.com>',
    about: 'Where answers to mails go. Unset: to the sender.',
    read: readMailbox,
  },
  spamUrl: {
    name: 'FORGELET_SPAM_URL',
    fallback: undefined,
    accepts: 'an http or https URL, such as https://rest.akismet.com/1.1',
    about: 'An Akismet-compatible service that checks for spam: it is asked at `/comment-check` below.',
    read: asWebUrl,
  },
  spamKey: {
    name: 'FORGELET_SPAM_KEY',
    fallback: undefined,
    accepts: 'a key without blanks',
    about: 'The key for that service.',
    secret: true,
    read: asKey,
  },
  captchaUrl: {
    name: 'FORGELET_CAPTCHA_URL',
    fallback: undefined,
    accepts: 'an http or https URL, such as https://www.google.com/recaptcha/api/siteverify',
    about: 'A service of CAPTCHAs: where their answers are verified (`siteverify`).',
    read: asWebUrl,
  },
  captchaSiteKey: {
    name: 'FORGELET_CAPTCHA_SITE_KEY',
    fallback: undefined,
    accepts: 'a key without blanks',
    about: 'The key with which clients show the CAPTCHA.',
    read: asKey,
  },
  captchaSecret: {
    name: 'FORGELET_CAPTCHA_SECRET',
    fallback: undefined,
    accepts: 'a secret without blanks',
    about: 'The secret with which answers are verified.',
    secret: true,
    read: asKey,
  },
} as const
