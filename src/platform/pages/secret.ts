import { html, type Html } from '#platform/http/html.ts'

/** A secret that is shown only once, with a button that copies it. The page needs {@link COPY_SCRIPT}. */
export function secretShownOnce({
  title,
  label,
  secret,
  advice,
}: {
  title: Html
  label: string
  secret: string
  /** What to do with it. */
  advice?: Html
}): Html {
  return html`<section class="notice" aria-labelledby="fresh">
    <h2 id="fresh">${title}</h2>
    <p>Copy it now: it is shown this once and kept nowhere.</p>
    <div class="secret">
      <div class="field">
        <label for="secret">${label}</label>
        <input id="secret" value="${secret}" readonly autocomplete="off" spellcheck="false" autofocus />
      </div>
      <button type="button" data-copies="secret" data-says="copied" hidden>Copy</button>
    </div>
    <p id="copied" role="status"></p>
    ${advice}
  </section>`
}
