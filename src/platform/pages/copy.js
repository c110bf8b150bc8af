// The one script of the pages: buttons that copy what stands in a field. Without it the field can be selected by hand.

for (const button of document.querySelectorAll('button[data-copies]')) {
  button.hidden = false
  button.addEventListener('click', () => void copy(button.dataset))
}

// What is copied here is shown once, as the answer to a form: a reload shall not send that form again.
history.replaceState(null, '', location.href)

/** @param {{ copies: string, says: string }} ids of the field, and of where to say what came of it */
async function copy({ copies, says }) {
  const field = document.getElementById(copies)
  field.select()
  const done = await toClipboard(field.value)
  document.getElementById(says).textContent = done ? 'Copied.' : 'Press Ctrl+C to copy it.'
}

/** Browsers offer their clipboard over https and on the own machine; elsewhere there is only the old way. */
async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return document.execCommand('copy')
  }
}
