import { readFileSync } from 'node:fs'
import { type Config, type Variable, variables } from './variables.ts'

export type { Config } from './variables.ts'

/** The environment holds something that Forgelet cannot use. The message names it and what is accepted. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Turns the environment into a configuration and checks it as a whole.
 * @throws {ConfigError} for an unknown `FORGELET_…` name, a bad value, or an unreadable `…_FILE`; all in one message.
 */
export function readConfig(environment: Readonly<NodeJS.Dict<string>>): Config {
  const problems = unknownNames(environment)
  const value = <T>(variable: Variable<T>): T | undefined => {
    const text = textOf(variable, environment, problems) ?? variable.fallback
    if (text === undefined) return undefined
    const read = variable.read(text)
    if (read === undefined) {
      const shown = variable.secret ? 'its value' : JSON.stringify(text)
      problems.push(`${variable.name}: ${shown} is not accepted. Accepted: ${variable.accepts}.`)
    }
    return read
  }
  const { host, port, data, offering, logLevel, trustedProxies } = variables
  const config: Config = {
    host: value(host) ?? '',
    port: value(port) ?? 0,
    data: value(data) ?? '',
    databaseUrl: value(variables.databaseUrl),
    databaseConnections: value(variables.databaseConnections) ?? 8,
    plainPg: value(variables.plainPg) ?? false,
    externalUrl: value(variables.externalUrl),
    registryUrl: value(variables.registryUrl),
    registryAddress: value(variables.registryAddress),
    rootToken: value(variables.rootToken),
    rootPassword: value(variables.rootPassword),
    offering: value(offering) ?? 'self-managed',
    logLevel: value(logLevel) ?? 'info',
    logFormat: value(variables.logFormat),
    secretKey: value(variables.secretKey),
    trustedProxies: value(trustedProxies) ?? [],
    maxConnections: value(variables.maxConnections) ?? 1,
    maxConnectionsPerAddress: value(variables.maxConnectionsPerAddress) ?? 1,
    monitoringAddresses: value(variables.monitoringAddresses) ?? [],
    monitoringToken: value(variables.monitoringToken),
    redisUrl: value(variables.redisUrl),
    blobs: value(variables.blobs),
    blobsAccessKey: value(variables.blobsAccessKey),
    blobsSecret: value(variables.blobsSecret),
    storages: value(variables.storages) ?? new Map(),
    sshAddress: value(variables.sshAddress),
    sshUrl: value(variables.sshUrl),
    sshSocket: value(variables.sshSocket),
    smtpUrl: value(variables.smtpUrl),
    mailFrom: value(variables.mailFrom),
    mailReplyTo: value(variables.mailReplyTo),
    spamUrl: value(variables.spamUrl),
    spamKey: value(variables.spamKey),
    captchaUrl: value(variables.captchaUrl),
    captchaSiteKey: value(variables.captchaSiteKey),
    captchaSecret: value(variables.captchaSecret),
    licensePublicKeys: value(variables.licensePublicKeys) ?? [],
  }
  const { blobs, blobsAccessKey, blobsSecret } = config
  if (blobs !== undefined && (blobsAccessKey === undefined || blobsSecret === undefined)) {
    problems.push('FORGELET_BLOBS needs FORGELET_BLOBS_ACCESS_KEY and FORGELET_BLOBS_SECRET.')
  }
  const { spamUrl, spamKey, captchaUrl, captchaSiteKey, captchaSecret } = config
  if ((spamUrl === undefined) !== (spamKey === undefined)) {
    problems.push('FORGELET_SPAM_URL and FORGELET_SPAM_KEY need each other.')
  }
  const captcha = [captchaUrl, captchaSiteKey, captchaSecret].filter((one) => one !== undefined).length
  if (captcha !== 0 && captcha !== 3) {
    problems.push(
      'FORGELET_CAPTCHA_URL, FORGELET_CAPTCHA_SITE_KEY and FORGELET_CAPTCHA_SECRET need each other.',
    )
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return Object.freeze(config)
}

function unknownNames(environment: Readonly<NodeJS.Dict<string>>): string[] {
  const known = new Set<string>()
  for (const variable of Object.values(variables)) {
    known.add(variable.name)
    if ('secret' in variable) known.add(`${variable.name}_FILE`)
  }
  return Object.keys(environment)
    .filter((name) => name.startsWith('FORGELET_') && !known.has(name))
    .map((name) => `${name}: there is no such variable. Known: ${[...known].join(', ')}.`)
}

function textOf(
  variable: Variable<unknown>,
  environment: Readonly<NodeJS.Dict<string>>,
  problems: string[],
): string | undefined {
  const file = variable.secret ? environment[`${variable.name}_FILE`] : undefined
  const text = environment[variable.name]
  const also = variable.also === undefined ? undefined : environment[variable.also]
  if (file === undefined) return text ?? also
  if (text !== undefined)
    problems.push(`${variable.name} and ${variable.name}_FILE are both set: choose one.`)
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    problems.push(`${variable.name}_FILE: ${JSON.stringify(file)} cannot be read (${String(error)}).`)
    return undefined
  }
}
