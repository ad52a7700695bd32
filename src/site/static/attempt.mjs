/** Sends operations from the pages of the reference, with the key of the reader. */

for (const attempt of document.querySelectorAll('.attempt')) startAttempt(attempt);

/** Sends the operation of a section, and shows the answer. */
function startAttempt(details) {
  const form = details.querySelector('form');
  const { method, path } = form.dataset;
  const output = form.querySelector('pre');
  details.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { body, ...parameters } = Object.fromEntries(new FormData(form));
    output.hidden = false;
    output.textContent = 'Sending …';
    output.textContent = await send(method, fill(path, parameters), body);
  });
}

/** Parameters that are not in the path are in the query; empty ones are left out. */
function fill(path, parameters) {
  const inPath = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name]));
  const inQuery = Object.entries(parameters).filter(
    ([name, value]) => value !== '' && !path.includes(`{${name}}`),
  );
  return inQuery.length === 0 ? inPath : `${inPath}?${new URLSearchParams(inQuery)}`;
}

async function send(method, url, body) {
  const key = document.querySelector('#own-key').value.trim();
  if (key === '') return 'Enter your key first: Your key, at the top of the page.';
  const headers = {
    Authorization: `Bearer ${key}`,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  try {
    const response = await fetch(url, { method, headers, body });
    return `${response.status} ${response.statusText}\n${readable(await response.text())}`;
  } catch {
    return 'No answer: the service cannot be reached from here.';
  }
}

function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
