import { invalid } from '#platform/refusals.ts'
import { isWebUrl } from './placeholders.ts'

/** Checks the URLs of a badge, as far as they are given. @throws 400 that names those which are no URLs of the web */
export function checkUrls(urls: { readonly link_url?: string; readonly image_url?: string }): void {
  const wrong = (['link_url', 'image_url'] as const).filter((name) => {
    const url = urls[name]
    return url !== undefined && !isWebUrl(url)
  })
  if (wrong.length === 0) return
  throw invalid(Object.fromEntries(wrong.map((name) => [name, ['must be a valid http or https URL']])))
}
