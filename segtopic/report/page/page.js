"use strict";

// What the page knows, and how elements are made. Text of users is only ever set as text.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

function coloured(node, topic) {
  node.classList.add("topic-colours");
  node.style.setProperty("--hue", data.topics[topic].hue);
  return node;
}

// The first words of a text, in one line.
function beginning(text, longest = 90) {
  const line = text.replace(/\s+/gu, " ").trim();
  if (line.length <= longest) return line;
  const end = line.lastIndexOf(" ", longest);
  return `${line.slice(0, end > longest / 2 ? end : longest)} …`;
}

const isolated = (text) => element("bdi", {}, text);
const percent = (share, digits = 0) => `${(100 * share).toFixed(digits)} %`;

function smallPercent(share) {
  const value = 100 * share;
  if (value >= 10) return `${value.toFixed(0)} %`;
  return value < 1e-5 ? "below 0.00001 %" : `${value.toPrecision(2)} %`;
}

// Arrow keys move through a row of things, of which one is reachable by Tab.
function step(event, current, count) {
  const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  let target = null;
  if (event.key in moves) target = current + moves[event.key];
  if (event.key === "Home") target = 0;
  if (event.key === "End") target = count - 1;
  if (target === null || event.ctrlKey || event.metaKey || event.altKey) return null;
  event.preventDefault();
  return Math.min(Math.max(target, 0), count - 1);
}

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

function bringIntoView(node) {
  node.scrollIntoView({ block: "start", behavior: calm() ? "auto" : "smooth" });
}
