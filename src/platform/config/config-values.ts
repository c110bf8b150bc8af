import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'

// Readers for the texts of variables. Each returns undefined for a text that it does not accept.

export const asText = (text: string) => (text === '' ? undefined : text)
export const longerThan = (min: number) => (text: string) => (text.length >= min ? text : undefined)
export const among =
  <T extends string>(values: readonly T[]) =>
  (text: string) =>
    values.find((value) => value === text)

export function asWebUrl(text: string): string | undefined {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) return undefined
  return text.replace(/\/+$/, '')
}

export function asPort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  return port <= 65_535 ? port : undefined
}

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Reads `host:port`, with brackets around an IPv6 address. */
export function asListenAddress(text: string): ListenAddress | undefined {
  const [, v6, v4, digits = ''] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(text) ?? []
  const host = v6 ?? v4
  const port = Number(digits)
  return host === undefined || port > 65_535 ? undefined : { host, port }
}

export function asAddresses(text: string): string[] | undefined {
  const parts = text.split(',').map((part) => part.trim())
  return parts.every((part) => ipaddr.isValid(part) || ipaddr.isValidCIDR(part)) ? parts : undefined
}

/** Reads addresses that are believed. All of them together would be a mistake: everybody would be believed. */
export function asProxies(text: string): string[] | undefined {
  const read = asAddresses(text)
  return read?.some((network) => /\/0+$/.test(network)) === true ? undefined : read
}

export const asFlag = (text: string): boolean | undefined =>
  text === '1' ? true : text === '0' ? false : undefined

export function asCount(text: string): number | undefined {
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined
}

/** Reads `name=path;name=path`. */
export function readStorages(text: string): ReadonlyMap<string, string> | undefined {
  const storages = new Map<string, string>()
  for (const part of text.split(';').filter((one) => one.trim() !== '')) {
    const [, name = '', path = ''] = /^\s*([A-Za-z0-9][\w.-]{0,99})\s*=\s*(\S.*?)\s*$/.exec(part) ?? []
    if (name === '' || path.includes('\0') || storages.has(name)) return undefined
    storages.set(name, resolve(path))
  }
  return storages
}
