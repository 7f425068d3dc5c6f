// On a narrow screen the lists that narrow a search begin folded: the results are what was asked for.
const narrow = document.querySelector(".narrow > details");
if (narrow && matchMedia("(max-width: 61.99rem)").matches) narrow.open = false;
