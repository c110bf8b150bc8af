/** A version as the packaging guides of Python have it (PEP 440), in any of its spellings. */
const VERSION =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(alpha|beta|preview|pre|a|b|c|rc)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(?:post|rev|r)[-_.]?(\d*))?(?:[-_.]?dev[-_.]?(\d*))?(?:\+([a-z\d]+(?:[-_.][a-z\d]+)*))?$/

const PRE: Readonly<Record<string, string>> = {
  alpha: 'a',
  beta: 'b',
  c: 'rc',
  pre: 'rc',
  preview: 'rc',
}

/** Digits of a number without those that change nothing; a missing one is 0. */
const number = (digits: string): string => digits.replace(/^0+(?=\d)/, '') || '0'

/** The usual spelling of a version, so that nobody publishes one twice; undefined for what is none. */
export function normalizedVersion(text: string): string | undefined {
  if (text.length > 255) return undefined
  const found = VERSION.exec(text.toLowerCase())
  if (found === null) return undefined
  const [, epoch = '0', release = '', pre, preNumber = '', implicit, explicit, dev, local] = found
  const post = implicit ?? explicit
  return [
    number(epoch) === '0' ? '' : `${number(epoch)}!`,
    release.split('.').map(number).join('.'),
    pre === undefined ? '' : `${PRE[pre] ?? pre}${number(preNumber)}`,
    post === undefined ? '' : `.post${number(post)}`,
    dev === undefined ? '' : `.dev${number(dev)}`,
    local === undefined ? '' : `+${local.split(/[-_.]/).map(localPart).join('.')}`,
  ].join('')
}

const localPart = (part: string): string => (/^\d+$/.test(part) ? number(part) : part)
