import { createPublicKey } from 'node:crypto'
import { readConfig } from '#platform/config/config.ts'
import { systemClock } from '#platform/context.ts'
import { dayOf } from '#platform/http/time.ts'
import { hasExpired } from '#administration/licenses/current-license.ts'
import { ownKey } from '#administration/licenses/keys.ts'
import {
  isSignedBy,
  type LicenseString,
  type LicenseTerms,
  MalformedLicense,
  readLicense,
} from '#administration/licenses/license-string.ts'
import { type CommandOptions, Refused, type Terminal, UsageError } from './command.ts'
import { NoInstance } from './instance.ts'
import { onDatabaseAsItIs, withSecrets } from './on-database.ts'
import { explain } from './refusals.ts'

/** Prints the content of a license and whether this instance would trust it. */
export async function inspectLicense(given: CommandOptions, terminal: Terminal): Promise<number> {
  const text = given.argument ?? (await all(terminal.input))
  if (text.trim() === '') throw new UsageError('give a license, as an argument or on standard input')
  const license = read(text)
  const lines = [...linesOf(license.terms), ['Signature', await trustIn(license, terminal)] as const]
  terminal.out(lines.map(([name, value]) => `${`${name}:`.padEnd(11)} ${value}\n`).join(''))
  return 0
}

async function all(input: Terminal['input']): Promise<string> {
  let text = ''
  for await (const part of input) text += part.toString()
  return text
}

function read(text: string): LicenseString {
  try {
    return readLicense(text)
  } catch (error) {
    throw error instanceof MalformedLicense ? new Refused(`this is no license: it ${error.message}`) : error
  }
}

function linesOf(terms: LicenseTerms): (readonly [string, string])[] {
  const { plan, licensee, starts_at, expires_at, users, add_ons } = terms
  const today = dayOf(systemClock.now())
  return [
    ['Plan', plan],
    ['Company', licensee.Company],
    ['Name', licensee.Name],
    ['Email', licensee.Email],
    ['Starts', `${starts_at}${starts_at > today ? ' (in the future)' : ''}`],
    ['Expires', `${expires_at}${hasExpired(terms, today) ? ' (expired)' : ''}`],
    ['Users', users === 0 ? 'without limit' : String(users)],
    ...Object.entries(add_ons).map(([name, number]) => ['Add-on', `${name}=${number}`] as const),
  ]
}

/** Tries the keys of the configuration first, which need no database. */
async function trustIn(license: LicenseString, terminal: Terminal): Promise<string> {
  const { licensePublicKeys } = readConfig(terminal.environment)
  if (await isSignedBy(license, licensePublicKeys)) return 'trusted, by a key of FORGELET_LICENSE_PUBLIC_KEYS'
  try {
    const own = await onDatabaseAsItIs(terminal, (address, config) => withSecrets(address, config, ownKey))
    const trusted = await isSignedBy(license, [createPublicKey(own)])
    return trusted ? 'trusted, by the key of this instance' : 'not trusted'
  } catch (error) {
    if (error instanceof NoInstance)
      return 'not known: there is no instance here, so it could be by the key of another'
    return `not known: ${explain(error).text}`
  }
}
