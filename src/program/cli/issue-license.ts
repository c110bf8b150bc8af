import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { systemClock } from '#platform/context.ts'
import { MAX_INT4 } from '#platform/http/schema.ts'
import { dayOf } from '#platform/http/time.ts'
import { ownKey } from '#administration/licenses/keys.ts'
import { licensedPlans } from '#administration/licenses/licensed-plans.ts'
import { type LicenseTerms, signLicense } from '#administration/licenses/license-string.ts'
import { type CommandOptions, type Terminal, UsageError } from './command.ts'
import { onDatabase, withSecrets } from './on-database.ts'
import { dayAhead, readDayOption } from './read-day.ts'

/** Signs a license with the key of the instance, or with a key from a file, and prints only the license. */
export async function issueLicense(given: CommandOptions, terminal: Terminal): Promise<number> {
  const terms = termsOf(given)
  const file = given.maybe('key')
  const print = async (key: KeyObject) => terminal.out(`${await signLicense(terms, key)}\n`)
  if (file !== undefined) await print(await readPrivateKey(file))
  else await withOwnKey(terminal, print)
  return 0
}

function withOwnKey(terminal: Terminal, work: (key: KeyObject) => Promise<void>): Promise<void> {
  return onDatabase(terminal, (address, config) =>
    withSecrets(address, config, async (secrets) => work(await ownKey(secrets))),
  )
}

function termsOf(given: CommandOptions): LicenseTerms {
  const today = dayOf(systemClock.now())
  const starts_at = readDayOption(given, 'starts') ?? today
  const expires_at = dayAhead(given, 'expires', today) ?? ''
  if (expires_at <= starts_at) throw new UsageError('--expires should be after --starts')
  const plan = licensedPlans.find((name) => name === given.text('plan'))
  if (plan === undefined)
    throw new UsageError(`there is no plan "${given.text('plan')}" (plans: ${licensedPlans.join(', ')})`)
  return {
    jti: randomUUID(),
    plan,
    starts_at,
    expires_at,
    users: wholeNumber('--users', given.text('users')),
    licensee: { Name: line(given, 'name'), Email: line(given, 'email'), Company: line(given, 'company') },
    add_ons: Object.fromEntries(given.all('add-on').map(addOn)),
  }
}

function line(given: CommandOptions, option: string): string {
  const text = given.text(option).trim()
  if (text === '') throw new UsageError(`--${option} is blank`)
  if (text.length > 255 || /\p{Cc}/u.test(text))
    throw new UsageError(`--${option} should be one line of at most 255 characters`)
  return text
}

function wholeNumber(option: string, text: string): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (number <= MAX_INT4) return number
  throw new UsageError(`${option} "${text}" is no whole number from 0 to ${MAX_INT4}`)
}

function addOn(text: string): [string, number] {
  const [, name = '', number = ''] = /^([^=]{1,255})=(.*)$/.exec(text) ?? []
  if (name.trim() === '') throw new UsageError(`--add-on "${text}" should be <NAME=N>`)
  return [name.trim(), wholeNumber(`--add-on ${name.trim()}`, number)]
}

async function readPrivateKey(path: string): Promise<KeyObject> {
  const pem = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--key ${path} cannot be read (${String(error)})`)
  })
  const key = parsed(pem)
  if (key?.asymmetricKeyType !== 'ed25519')
    throw new UsageError(`--key ${path} holds no Ed25519 private key in PEM`)
  return key
}

function parsed(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}
