import { statusWords } from '#code/pipelines/status-words.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import { type Html, html } from '#platform/http/html.ts'

/** How the status of a pipeline or job looks. */
const looks: Readonly<Record<CiStatus, 'good' | 'bad' | 'busy' | 'still'>> = {
  created: 'still',
  waiting_for_resource: 'busy',
  preparing: 'busy',
  waiting_for_callback: 'busy',
  pending: 'busy',
  running: 'busy',
  success: 'good',
  failed: 'bad',
  canceling: 'busy',
  canceled: 'still',
  skipped: 'still',
  manual: 'still',
  scheduled: 'still',
}

/** @param warns whether something failed that may */
export const ciStatus = (status: CiStatus, warns = false): Html =>
  html`<span class="ci ${warns ? 'warns' : looks[status]}">${statusWords(status, warns).text}</span>`

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** `1.5 MiB` */
export function sizeInWords(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  const amount = bytes / 1024 ** power
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[power]}`
}

/** `1 h 5 min`, `3 min 20 s`, `12 s`, `0.5 s` */
export function durationInWords(seconds: number): string {
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** A word of the API for people: `script_failure` → `script failure`. */
export const inWords = (name: string): string => name.replaceAll('_', ' ')

/** The same at the beginning of something. */
export const titled = (name: string): string => name.charAt(0).toUpperCase() + inWords(name).slice(1)
