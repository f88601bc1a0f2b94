// Requests as the steps describe them: names in braces are filled in, and what an answer brings is taken out.

// Every name in braces that a step needs.
export function needs(step) {
  const text = JSON.stringify([step.path, step.headers ?? {}, step.body ?? null]);
  return [...new Set([...text.matchAll(/\{([a-z_]+)\}/g)].map((found) => found[1]))];
}

// A string that is nothing but a name becomes its value, of whatever type; elsewhere the value is put in as text.
function filled(value, known) {
  if (typeof value === "string") {
    const whole = value.match(/^\{([a-z_]+)\}$/);
    return whole ? known[whole[1]] : value.replace(/\{([a-z_]+)\}/g, (_, name) => known[name]);
  }
  if (Array.isArray(value)) return value.map((each) => filled(each, known));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, known)]));
}

// The request of a step: method, path, headers, and the body as text.
export function request(step, known) {
  const headers = filled(step.headers ?? {}, known);
  if (!headers.Authorization && known.api_key && step.id === "create") headers.Authorization = `Bearer ${known.api_key}`;
  const body = step.body === undefined ? undefined : JSON.stringify(filled(step.body, known), null, 2);
  if (body !== undefined) headers["Content-Type"] = "application/json";
  return { method: step.method, path: filled(step.path, known), headers, body };
}

export function asHttp({ method, path, headers, body }) {
  const lines = [`${method} ${path}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  return lines.join("\n") + (body === undefined ? "" : `\n\n${body}`);
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

export function asCurl({ method, path, headers, body }) {
  const parts = [`curl -s ${quoted(location.origin + path)}`];
  if (!["GET", "POST"].includes(method) || (method === "POST" && body === undefined)) parts[0] += ` -X ${method}`;
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) parts.push(`-d ${quoted(JSON.stringify(JSON.parse(body)))}`);
  return parts.join(" \\\n  ");
}

// Send it; answers status, the text of the status, and the body as a value. Throws where nobody answers.
export async function send({ method, path, headers, body }) {
  const answer = await fetch(path, { method, headers, body });
  const text = await answer.text();
  return { status: answer.status, meaning: answer.statusText, body: text ? JSON.parse(text) : null };
}

// What a place such as `seats.0.token` holds.
export function at(place, value) {
  return place === "" ? value : place.split(".").reduce((found, name) => found?.[name], value);
}

// A new key for what is to be created once; randomUUID exists on pages of secure origins only.
export function newKey() {
  const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
