import { resolve } from 'node:path'
import type { KeyObject } from 'node:crypto'
import type { Offering } from '#platform/access/route-access.ts'
import { readS3Address, type S3Address } from '#platform/files/s3/address.ts'
import type { Mailbox, SmtpAddress } from '#platform/mail/smtp-url.ts'
import type { RegistryConfig } from './registry-host.ts'
import { serviceVariables } from './service-variables.ts'
import { type SshConfig, sshVariables } from './ssh-variables.ts'
import { readPublicKeys } from './public-keys.ts'
import {
  among,
  readStorages,
  asAddresses,
  asProxies,
  asCount,
  asFlag,
  asPort,
  asText,
  asWebUrl,
  longerThan,
} from './config-values.ts'

/** The infrastructure that the environment decides. Policies are application settings in the database. */
export interface Config extends SshConfig, RegistryConfig {
  readonly host: string
  readonly port: number
  /** Absolute path of the data folder. */
  readonly data: string
  /** Undefined means the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined
  /** Connections to the database for requests; see platform/db/request-connections.ts. */
  readonly databaseConnections: number
  /** Whether statements are sent as `pg` does it by itself; see platform/db/fast/sending.ts. */
  readonly plainPg: boolean
  /** Without a slash at the end; undefined means the host that a request used. */
  readonly externalUrl: string | undefined
  readonly rootToken: string | undefined
  readonly rootPassword: string | undefined
  readonly offering: Offering
  readonly logLevel: LogLevel
  /** Undefined means lines for people on a terminal, and JSON elsewhere. */
  readonly logFormat: LogFormat | undefined
  readonly secretKey: string | undefined
  /** Addresses and ranges whose `X-Forwarded-…` headers are trusted. */
  readonly trustedProxies: readonly string[]
  /** Simultaneous connections in all. */
  readonly maxConnections: number
  /** Simultaneous connections of one address that is not a trusted proxy. */
  readonly maxConnectionsPerAddress: number
  /** Addresses and ranges that may see metrics and details of readiness. */
  readonly monitoringAddresses: readonly string[]
  /** A bearer token that may see them from anywhere; undefined means there is none. */
  readonly monitoringToken: string | undefined
  /** Where processes count limits together; undefined means each counts for itself. */
  readonly redisUrl: string | undefined
  /** Where the bytes of files are; undefined means the data folder. */
  readonly blobs: S3Address | undefined
  readonly blobsAccessKey: string | undefined
  readonly blobsSecret: string | undefined
  /** The folders that hold repositories, by the name of the storage; absolute paths. */
  readonly storages: ReadonlyMap<string, string>
  /** The mail server; undefined means that no mail is sent. */
  readonly smtpUrl: SmtpAddress | undefined
  /** Whom mails come from; undefined means `noreply` at the host of the external URL. */
  readonly mailFrom: Mailbox | undefined
  /** Where answers to mails go; undefined means the sender. */
  readonly mailReplyTo: Mailbox | undefined
  /** The Akismet-compatible service that checks for spam, without a slash at the end; undefined means that nothing does. */
  readonly spamUrl: string | undefined
  readonly spamKey: string | undefined
  /** Where answers to CAPTCHAs are verified; undefined means that there are none. */
  readonly captchaUrl: string | undefined
  readonly captchaSiteKey: string | undefined
  readonly captchaSecret: string | undefined
  /** Whose licenses are trusted, besides those that the instance issues itself. */
  readonly licensePublicKeys: readonly KeyObject[]
}

export const offerings = ['self-managed', 'hosted', 'dedicated'] as const satisfies readonly Offering[]
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]
export const logFormats = ['json', 'text'] as const
export type LogFormat = (typeof logFormats)[number]

/** One variable: how its text becomes a value, and what its documentation says. */
export interface Variable<T> {
  readonly name: string
  readonly fallback: string | undefined
  /** Completes "… accepts": what a value must look like. */
  readonly accepts: string
  readonly about: string
  /** Another name, used when this one is not set. */
  readonly also?: string
  /** Never printed. It may also be given as `<name>_FILE`, a file that holds it. */
  readonly secret?: true
  /** @returns undefined when the text is not acceptable. */
  readonly read: (text: string) => T | undefined
}

/** Every variable that Forgelet reads. docs/configuration.md is generated from this table. */
export const variables = {
  host: {
    name: 'FORGELET_HOST',
    fallback: '127.0.0.1',
    accepts: 'an address or host name of this machine',
    about: 'The address to listen on. `0.0.0.0` or `::` for all.',
    read: asText,
  },
  port: {
    name: 'FORGELET_PORT',
    fallback: '8080',
    accepts: 'a port number from 0 to 65535 (0: any free one)',
    about: 'The port to listen on.',
    read: asPort,
  },
  data: {
    name: 'FORGELET_DATA',
    fallback: './data',
    accepts: 'a folder that exists or can be made',
    about: 'The data folder: the embedded database, the master key, uploads.',
    read: (text: string) => (text === '' || text.includes('\0') ? undefined : resolve(text)),
  },
  databaseUrl: {
    name: 'FORGELET_DATABASE_URL',
    fallback: undefined,
    accepts: 'a URL such as postgres://user:password@host:5432/database',
    about: 'A PostgreSQL 15 or later to use instead of the embedded one.',
    secret: true,
    // PostgreSQL accepts addresses that are no standard URLs: a socket folder is in the query.
    read: (text: string) => (/^postgres(?:ql)?:\/\/\S+$/.test(text) ? text : undefined),
  },
  databaseConnections: {
    name: 'FORGELET_DATABASE_CONNECTIONS',
    fallback: '16',
    accepts: 'a number from 8 to 999',
    about:
      'Connections to PostgreSQL for requests at once: half of them for writes, a quarter for prepared reads and a quarter for other reads. One caller gets at most three quarters of a share for reads. Jobs and notifications have up to 20 more, and mail two.',
    read: (text: string) => (/^(?:[89]|[1-9]\d{1,2})$/.test(text) ? Number(text) : undefined),
  },
  plainPg: {
    name: 'FORGELET_PLAIN_PG',
    fallback: '0',
    accepts: '0 or 1',
    about:
      'For tests: `1` sends statements without what exists for speed alone. Answers stay the same and take longer.',
    read: asFlag,
  },
  externalUrl: {
    name: 'FORGELET_EXTERNAL_URL',
    fallback: undefined,
    accepts: 'an http or https URL',
    about: 'The address under which people and clients reach this server; it starts every `web_url`.',
    read: asWebUrl,
  },
  rootToken: {
    name: 'FORGELET_ROOT_TOKEN',
    fallback: undefined,
    accepts: 'at least 20 characters without blanks',
    about:
      "The administrator's access token, instead of a random one that the first start makes and that ends.",
    secret: true,
    read: (text: string) => (/^\S{20,255}$/.test(text) ? text : undefined),
  },
  rootPassword: {
    name: 'FORGELET_ROOT_PASSWORD',
    fallback: undefined,
    accepts: 'at least 8 characters',
    about: "The administrator's password at the first start, instead of a random one.",
    secret: true,
    read: longerThan(8),
  },
  offering: {
    name: 'FORGELET_OFFERING',
    fallback: 'self-managed',
    accepts: offerings.join(', '),
    about: 'Which offering of the API this server is: some areas exist in some offerings only.',
    read: among(offerings),
  },
  logLevel: {
    name: 'FORGELET_LOG_LEVEL',
    fallback: 'info',
    accepts: logLevels.join(', '),
    about: 'How much is logged, on standard output.',
    read: among(logLevels),
  },
  logFormat: {
    name: 'FORGELET_LOG_FORMAT',
    fallback: undefined,
    accepts: logFormats.join(', '),
    about:
      'How it is logged: `json`, an object a line for programs, or `text`, a line for people. Unset: `text` on a terminal, `json` elsewhere.',
    read: among(logFormats),
  },
  secretKey: {
    name: 'FORGELET_SECRET_KEY',
    fallback: undefined,
    accepts: 'at least 32 characters, the same on all nodes',
    about:
      'The master key that protects stored secrets. Unset: made once in the data folder as `secret.key`.',
    secret: true,
    read: longerThan(32),
  },
  trustedProxies: {
    name: 'FORGELET_TRUSTED_PROXIES',
    fallback: '',
    accepts: 'addresses and ranges with commas between, such as 192.0.2.7,::1, but not all addresses (/0)',
    about:
      'Proxies whose `X-Forwarded-For`, `-Host` and `-Proto` headers are believed. Whoever else can send from these addresses chooses the address that a request seems to come from.',
    read: (text: string) => (text === '' ? [] : asProxies(text)),
  },
  // The right numbers depend on the machine's open files and on how many clients share an address.
  maxConnections: {
    name: 'FORGELET_MAX_CONNECTIONS',
    fallback: '4096',
    accepts: 'a number from 1 to 999999',
    about: 'Connections to the port at once; more are closed. Each takes a file descriptor.',
    read: asCount,
  },
  maxConnectionsPerAddress: {
    name: 'FORGELET_MAX_CONNECTIONS_PER_ADDRESS',
    fallback: '512',
    accepts: 'a number from 1 to 999999',
    about:
      'Connections of one address at once (of IPv6 a /64); more are closed. Trusted proxies are not limited.',
    read: asCount,
  },
  monitoringAddresses: {
    name: 'FORGELET_MONITORING_ADDRESSES',
    fallback: '127.0.0.0/8,::1',
    accepts: 'addresses and ranges with commas between, such as 10.0.0.0/8,::1; blank for none',
    about: 'Who may read `/-/metrics` and the parts of `/-/readiness` without a token.',
    read: (text: string) => (text === '' ? [] : asAddresses(text)),
  },
  monitoringToken: {
    name: 'FORGELET_MONITORING_TOKEN',
    fallback: undefined,
    accepts: 'at least 20 characters without blanks',
    about: 'With this as bearer token, `/-/metrics` and the parts of `/-/readiness` are read from anywhere.',
    secret: true,
    read: (text: string) => (/^\S{20,255}$/.test(text) ? text : undefined),
  },
  redisUrl: {
    name: 'FORGELET_REDIS_URL',
    fallback: undefined,
    accepts: 'a URL such as redis://user:password@host:6379/0, or rediss:// for TLS',
    about:
      'A Valkey or Redis in which several processes count limits together. Unset, or while it is away: each counts for itself.',
    secret: true,
    read: (text: string) => (/^rediss?:\/\/\S+$/.test(text) && URL.canParse(text) ? text : undefined),
  },
  blobs: {
    name: 'FORGELET_BLOBS',
    fallback: undefined,
    accepts:
      's3://bucket/prefix, with ?endpoint=URL&region=NAME&path_style=true&signed_urls=true&read_only=true&timeout=SECONDS as needed',
    about:
      'An S3-compatible server for uploaded files, which several nodes can share. Unset: the data folder. See the guide about files.',
    read: readS3Address,
  },
  blobsAccessKey: {
    name: 'FORGELET_BLOBS_ACCESS_KEY',
    also: 'AWS_ACCESS_KEY_ID',
    fallback: undefined,
    accepts: 'an access key without blanks',
    about: 'The access key for that server; `AWS_ACCESS_KEY_ID` counts when this is not set.',
    secret: true,
    read: (text: string) => (/^\S{1,255}$/.test(text) ? text : undefined),
  },
  blobsSecret: {
    name: 'FORGELET_BLOBS_SECRET',
    also: 'AWS_SECRET_ACCESS_KEY',
    fallback: undefined,
    accepts: 'a secret key without blanks',
    about: 'The secret of that access key; `AWS_SECRET_ACCESS_KEY` counts when this is not set.',
    secret: true,
    read: (text: string) => (/^\S{1,255}$/.test(text) ? text : undefined),
  },
  storages: {
    name: 'FORGELET_STORAGES',
    fallback: '',
    accepts: 'name=path, several with semicolons between, such as default=/disks/a;fast=/disks/b',
    about:
      'Folders for repositories, the same names on all nodes. `default` is `repositories` in the data folder unless named.',
    read: readStorages,
  },
  ...sshVariables,
  ...serviceVariables,
  licensePublicKeys: {
    name: 'FORGELET_LICENSE_PUBLIC_KEYS',
    fallback: '',
    accepts: 'Ed25519 public keys in PEM or as JWK, one or several',
    about: 'Whose licenses are believed, besides those that the instance issues itself.',
    // Not a secret, but a private key that is put here by mistake must not be printed.
    secret: true,
    read: (text: string) => (text === '' ? [] : readPublicKeys(text)),
  },
} satisfies { [Key in keyof Config]: Variable<Config[Key]> }
